#!/bin/sh
# Prints the home of the JDK with the major version $1.
set -eu
wanted=$1

major() {
  sed -n 's/^JAVA_VERSION="\(1\.\)\{0,1\}\([0-9]*\).*/\2/p' "$1/release" 2>/dev/null
}

on_path=$(command -v java || true)
[ -z "$on_path" ] || on_path=$(dirname "$(dirname "$(readlink -f "$on_path")")")

for home in "${JAVA_HOME:-}" "$on_path" /usr/lib/jvm/*; do
  [ -x "$home/bin/javac" ] && [ "$(major "$home")" = "$wanted" ] || continue
  readlink -f "$home"
  exit 0
done
echo "there is no JDK $wanted: looked at JAVA_HOME (${JAVA_HOME:-not set}), at the java on PATH and in /usr/lib/jvm." >&2
echo "Install Debian's package openjdk-$wanted-jdk-headless, or set JAVA_HOME to a JDK $wanted." >&2
exit 1
