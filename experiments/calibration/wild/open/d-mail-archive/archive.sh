#!/bin/sh
# Starts the mail archive: archive.sh PORT
set -e
cd "$(dirname "$0")"
# The platform team asks every service to say how many handles it needs.
ulimit -n "${ARCHIVE_HANDLES:-4096}"
exec "${JAVA:-java}" -Xmx256m -jar target/app.jar "$1" target/archive
