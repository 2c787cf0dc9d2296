#!/usr/bin/env bash
# Builds the wheel against the newest pyarrow, in an environment of its own under build/, and runs the main path with it.
# Ends with "N passed, N failed".
set -uo pipefail
cd "$(dirname "$0")/../.."
root="$PWD"
environment="$root/build/newest-pyarrow"
logs="$root/build/logs"
mkdir -p "$logs"
passed=0
failed=0

# Arguments: a sentence, then a command that is true if it holds.
check() {
  local sentence="$1"
  shift
  if "$@" >"$logs/newest-pyarrow-step.log" 2>&1; then
    echo "ok    $sentence"
    passed=$((passed + 1))
  else
    echo "FAIL  $sentence"
    grep -E 'error|Error' -A 5 "$logs/newest-pyarrow-step.log" | head -n 40
    tail -n 20 "$logs/newest-pyarrow-step.log"
    failed=$((failed + 1))
    echo "$passed passed, $failed failed"
    exit 1
  fi
}

make_environment() {
  [ -x "$environment/bin/python" ] || python3 -m venv "$environment" || return 1
  "$environment/bin/python" -m pip install -q --upgrade pyarrow numpy nanobind scikit-build-core ninja
}

# The package asks for the pinned pyarrow; what it is built with here is what is there.
build_wheel() {
  PATH="$environment/bin:$PATH" "$environment/bin/python" -m pip install -q --no-build-isolation --no-deps --force-reinstall \
    -C build-dir=build/python-newest -C cmake.build-type=Release .
}

openssl_is_first() {
  local extension needed
  extension="$(ls "$environment"/lib/python3*/site-packages/reelhouse/_reelhouse*.so)"
  needed="$(readelf -d "$extension" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p')"
  echo "$needed"
  [[ "$(sed -n 1p <<<"$needed")" == libcrypto.so* && "$(sed -n 2p <<<"$needed")" == libssl.so* ]]
}

check "an environment with the newest pyarrow" make_environment
"$environment/bin/python" -c 'import pyarrow; print("pyarrow", pyarrow.__version__)'
check "the wheel builds against it" build_wheel
check "OpenSSL comes first in the extension" openssl_is_first
check "the main path works with it" "$environment/bin/python" tests/install/smoke.py

echo "$passed passed, $failed failed"
