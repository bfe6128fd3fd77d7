# Read by the scripts in bin/ with `.`: sets `python` to an interpreter of Python 3.11 or newer, or ends with a sentence.
# `PYTHON=/path/to/python3 bin/up` names the interpreter to use.

new_enough() {
    "$1" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null
}

python=
if [ -n "${PYTHON:-}" ]; then
    if ! new_enough "$PYTHON"; then
        echo "workbench: PYTHON names $PYTHON, which is not a Python of version 3.11 or newer." >&2
        exit 2
    fi
    python=$PYTHON
else
    for candidate in python3 python3.13 python3.12 python3.11 python3.14; do
        if new_enough "$candidate"; then
            python=$candidate
            break
        fi
    done
fi
if [ -z "$python" ]; then
    found=$(python3 --version 2>/dev/null || echo "no python3")
    echo "workbench: Python 3.11 or newer is needed, and this machine has $found." >&2
    echo "workbench: on Debian 12, Ubuntu 24.04 or newer: apt install python3 python3-venv. Elsewhere install it and say PYTHON=/path/to/python3 $0" >&2
    exit 2
fi
