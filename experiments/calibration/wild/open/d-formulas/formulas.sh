#!/bin/sh
# Starts the formula server: formulas.sh PORT [PROCESSES]
cd "$(dirname "$0")" || exit 1
exec "${JAVA:-java}" -Xmx128m -jar target/app.jar "$1" . "${2:-12}"
