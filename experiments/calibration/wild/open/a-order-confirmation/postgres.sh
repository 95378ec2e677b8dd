#!/bin/sh
# A PostgreSQL with a database of its own that is gone when it ends: ./postgres.sh HOST PORT
set -eu
host=$1 port=$2
bin=/usr/lib/postgresql/15/bin
data=${TMPDIR:-/tmp}/a-orders-$port
rm -rf "$data"
install -d -o postgres -m 700 "$data"
cd "$data"
as_postgres() { setpriv --reuid postgres --regid postgres --init-groups --pdeathsig KILL "$@"; }
as_postgres "$bin/initdb" -D "$data/db" -U postgres -A trust -E UTF8 --no-sync --no-instructions >/dev/null
as_postgres "$bin/postgres" -D "$data/db" -h "$host" -p "$port" -k "$data" -c max_connections=200 -c fsync=off -c synchronous_commit=off &
child=$!
trap 'kill -INT $child 2>/dev/null || true' TERM INT HUP
wait $child || true
wait $child 2>/dev/null || true
rm -rf "$data"
