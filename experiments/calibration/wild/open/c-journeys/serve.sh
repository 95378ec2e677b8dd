#!/bin/sh
# serve.sh PORT WORKERS: the suppliers' stand-in and the server
set -e
cd "$(dirname "$0")"
java=${JAVA_25:-/usr/lib/jvm/temurin-25-jdk-amd64}/bin/java
[ -x "$java" ] || java=java
pipe=$(mktemp -u)
mkfifo "$pipe"
python3 suppliers.py "$pipe" &
read -r suppliers < "$pipe"
rm "$pipe"
exec "$java" -Xmx256m -Djourneys.suppliers="127.0.0.1:$suppliers" -Djourneys.workers="$2" -jar target/app.jar "$1"
