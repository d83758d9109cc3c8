#!/bin/sh
# Stands in for fd 8.6, which Debian 12 has: it does not know a flag that pi's find passes.
for word in "$@"; do
	if [ "$word" = "--no-require-git" ]; then
		echo "error: Found argument '--no-require-git' which wasn't expected, or isn't valid in this context" >&2
		exit 2
	fi
done
while [ "$#" -gt 2 ]; do shift; done
exec find "$2" -name "$1"
