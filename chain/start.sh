#!/bin/sh
# Starts all nodes of a network on this machine, without Docker, and stops them when it is stopped:
#
#	./gyr-chain init -dir net -validators 4
#	./start.sh net [flags of gyr-chain start]
#
# The logs are net/node0.log and so on. GYR_CHAIN names the command.
set -eu
dir=${1:?usage: start.sh DIR [flags of gyr-chain start]}
shift
command=${GYR_CHAIN:-$(dirname "$0")/gyr-chain}
pids=
trap 'kill $pids 2>/dev/null || true; wait' EXIT
trap 'exit 0' INT TERM
for home in "$dir"/node*/; do
	home=${home%/}
	"$command" start -home "$home" "$@" >"$home.log" 2>&1 &
	pids="$pids $!"
	echo "$home: process $!, log $home.log"
done
wait
