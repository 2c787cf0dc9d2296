# Shared by the scripts of this folder: installs what is missing, builds, installs the Python package. Quiet when there
# is nothing to do. Sourced, not run.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
ROOT="$PWD"
VENV="$ROOT/.venv"
export DEBIAN_FRONTEND=noninteractive PIP_DISABLE_PIP_VERSION_CHECK=1 CCACHE_MAXSIZE="${CCACHE_MAXSIZE:-5G}"
# Objects are found in the cache again by a clone in another folder.
export CCACHE_BASEDIR="$ROOT" CCACHE_NOHASHDIR=true
# One name of the compiler everywhere: the cache takes another name for another compiler, and Python's build would use one.
export CC="${CC:-cc}" CXX="${CXX:-c++}"
# The virtual environment must be found first, also where a Python manager puts itself in front.
export PATH="$VENV/bin:$PATH"

SYSTEM_PACKAGES=(
  g++ cmake ninja-build ccache pkg-config git python3 python3-venv python3-dev
  libavcodec-dev libavformat-dev libavutil-dev libswscale-dev libturbojpeg0-dev libjpeg62-turbo-dev ffmpeg
  nlohmann-json3-dev libcli11-dev libfmt-dev libroaring-dev libzstd-dev zlib1g-dev libssl-dev
  libgtest-dev libgmock-dev
)

say() { printf '== %s\n' "$*"; }

fail() {
  printf 'error: %s\n' "$*" >&2
  exit 1
}

# Installs Debian packages that are not there. Arguments: package names.
ensure_system_packages() {
  local missing=() package
  for package in "$@"; do
    dpkg-query -W -f='${Status}' "$package" 2>/dev/null | grep -q '^install ok installed$' || missing+=("$package")
  done
  [ ${#missing[@]} -eq 0 ] && return
  local sudo=()
  if [ "$(id -u)" -ne 0 ]; then
    command -v sudo >/dev/null || fail "these packages are missing: ${missing[*]}. Install them as root, then run this again."
    sudo=(sudo)
  fi
  say "installing ${#missing[@]} system packages: ${missing[*]}"
  "${sudo[@]}" apt-get update -q >/tmp/reelhouse-apt.log 2>&1 || { tail -n 20 /tmp/reelhouse-apt.log; fail "apt-get update failed"; }
  "${sudo[@]}" apt-get install -y -q --no-install-recommends "${missing[@]}" >>/tmp/reelhouse-apt.log 2>&1 ||
    { tail -n 20 /tmp/reelhouse-apt.log; fail "apt-get install failed"; }
}

# Installs a requirements file into the virtual environment, once for each content of the file.
ensure_python_packages() {
  local requirements="$1" stamp
  stamp="$VENV/.installed-$(basename "$requirements")-$(sha256sum "$requirements" | cut -c1-16)"
  [ -x "$VENV/bin/python" ] || { say "making the virtual environment .venv"; python3 -m venv "$VENV"; }
  [ -e "$stamp" ] && return
  say "installing Python packages of $requirements"
  "$VENV/bin/python" -m pip install -q -r "$requirements"
  touch "$stamp"
}

# Configures and builds a CMake preset. Arguments: preset, then targets (none = all).
ensure_build() {
  local preset="$1" log="build/$1.log"
  shift
  mkdir -p build
  if [ ! -e "build/$preset/build.ninja" ]; then
    say "configuring preset $preset"
    cmake --preset "$preset" >"$log" 2>&1 || { tail -n 40 "$log"; fail "configuring $preset failed"; }
  fi
  # For editors and clang-tidy.
  if [ "$preset" = release ] && [ ! -e compile_commands.json ]; then
    ln -sf build/release/compile_commands.json compile_commands.json
  fi
  local targets=()
  [ $# -gt 0 ] && targets=(--target "$@")
  # Ninja's own line shows progress on a terminal; elsewhere one line at the start and the errors are enough.
  if [ -t 1 ]; then
    cmake --build --preset "$preset" "${targets[@]}"
  else
    say "building preset $preset"
    cmake --build --preset "$preset" "${targets[@]}" >"$log" 2>&1 || { grep -E 'error|Error|FAILED' -A 5 "$log" | head -n 80; fail "building $preset failed; all of it: $log"; }
  fi
}

# Installs the package `reelhouse` into the virtual environment if a source file changed since.
ensure_python_package() {
  local fingerprint stamp
  fingerprint="$(find src python cmake CMakeLists.txt pyproject.toml -type f ! -name '*_test.cc' ! -name '*.pyc' -print0 | sort -z | xargs -0 sha256sum | sha256sum | cut -c1-16)"
  stamp="$VENV/.installed-reelhouse"
  [ -e "$stamp" ] && [ "$(cat "$stamp")" = "$fingerprint" ] && return
  say "building and installing the Python package"
  "$VENV/bin/python" -m pip install -q --no-build-isolation --no-deps --force-reinstall . >build/python-install.log 2>&1 ||
    { grep -E 'error' -A 5 build/python-install.log | head -n 60; fail "installing the Python package failed; all of it: build/python-install.log"; }
  echo "$fingerprint" >"$stamp"
}

# Everything that building needs.
setup() {
  ensure_system_packages "${SYSTEM_PACKAGES[@]}"
  ensure_python_packages scripts/requirements.txt
  mkdir -p build
}
