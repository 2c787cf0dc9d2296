#!/usr/bin/env bash
# Installs a build into an empty folder, builds a foreign project against it and runs that; then looks at the order of
# the libraries in everything that links libparquet (docs/decisions/0002). Ends with "N passed, N failed".
#
#   tests/install/run.sh [BUILD]     BUILD: default build/release
set -uo pipefail
cd "$(dirname "$0")/../.."
root="$PWD"
build="${1:-build/release}"
python="$root/.venv/bin/python"
work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT
passed=0
failed=0

# Arguments: a sentence, then a command that is true if it holds.
check() {
  local sentence="$1"
  shift
  if "$@" >"$work/log" 2>&1; then
    echo "ok    $sentence"
    passed=$((passed + 1))
  else
    echo "FAIL  $sentence"
    tail -n 30 "$work/log"
    failed=$((failed + 1))
  fi
}

# True if libcrypto and libssl come before all other libraries that a file needs.
openssl_is_first() {
  local needed
  [ -e "$1" ] || { echo "there is no $1"; return 1; }
  needed="$(readelf -d "$1" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p')"
  echo "$needed"
  [[ "$(sed -n 1p <<<"$needed")" == libcrypto.so* && "$(sed -n 2p <<<"$needed")" == libssl.so* ]]
}

install_components() {
  local component
  for component in devel cli; do
    cmake --install "$build" --prefix "$work/prefix" --component "$component" || return 1
  done
}

configure_consumer() {
  cmake -S tests/install -B "$work/consumer" -G Ninja -DCMAKE_BUILD_TYPE=Release -DCMAKE_PREFIX_PATH="$work/prefix" \
    -DPython3_ROOT_DIR="$root/.venv" -DPython3_FIND_VIRTUALENV=FIRST
}

# A wrong version of Arrow must be found out when configuring, not when running.
refuses_another_arrow() {
  local site="$work/site"
  mkdir -p "$site/pyarrow"
  printf '__version__ = "3.0.0"\ndef get_include():\n    return "/nowhere"\ndef get_library_dirs():\n    return ["/nowhere"]\n' \
    >"$site/pyarrow/__init__.py"
  ! PYTHONPATH="$site" cmake -S tests/install -B "$work/other" -G Ninja -DCMAKE_PREFIX_PATH="$work/prefix" \
    -DREELHOUSE_ARROW=wheel -DPython3_EXECUTABLE="$python" >"$work/other.log" 2>&1 && grep -q "was built with Arrow" "$work/other.log"
}

# No header of the inside, and none that needs one of FFmpeg.
headers_are_public() {
  [ -e "$work/prefix/include/reelhouse/reelhouse.h" ] && ! grep -rlE '#include [<"](libav|libsw|roaring|nlohmann|turbojpeg)' "$work/prefix/include"
}

check "the build installs" install_components
check "the installed headers need no header of FFmpeg" headers_are_public
check "a foreign project finds the package" configure_consumer
check "a foreign project builds" cmake --build "$work/consumer"
check "the foreign program runs" "$work/consumer/consumer" "$work/warehouse"
check "another version of Arrow is refused" refuses_another_arrow
check "the installed command line runs" "$work/prefix/bin/reelhouse" --version
check "OpenSSL comes first in the foreign program" openssl_is_first "$work/consumer/consumer"
check "OpenSSL comes first in the command line" openssl_is_first "$build/cli/reelhouse"
extension="$("$python" -c 'import importlib.util as u; s = u.find_spec("reelhouse"); print(*s.submodule_search_locations)' 2>/dev/null)"
check "OpenSSL comes first in the Python extension" openssl_is_first "$(ls "$extension"/_reelhouse*.so 2>/dev/null | head -n 1)"

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
