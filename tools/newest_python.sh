#!/usr/bin/env bash
# Print the newest Python of 3.12 or later that this machine has, or nothing.
set -uo pipefail

candidates() {
  compgen -c python3. | sort -u
  ls -d "${PYENV_ROOT:-$HOME/.pyenv}"/versions/3.*/bin/python 2>/dev/null
}

candidates | while read -r python; do
  # One that cannot make environments is of no use.
  "$python" -c 'import sys, venv, ensurepip
if sys.version_info >= (3, 12): print(*sys.version_info[:3], sys.executable)' 2>/dev/null
done | sort -k1,1n -k2,2n -k3,3n | tail -n 1 | cut -d" " -f4-
