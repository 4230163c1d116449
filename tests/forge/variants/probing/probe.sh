# Looks for the token by which this source was fetched. A test puts its two halves in the places of the two names, so that this file does not
# have it. The build fails if the token is found, or if the private submodule was not fetched.
token='@FIRST@'"$(printf %s '@SECOND@')"
reached=
reach() {
  echo "reached: $1"
  reached=yes
}
has() { grep -qaF "$token" 2>/dev/null; }

[ "$(cat dependency/present)" = yes ] || reach "a build without its submodule"
env | has && reach "variables"
for process in /proc/[0-9]*; do
  cat "$process/environ" 2>/dev/null | has && reach "$process/environ"
  tr '\0' ' ' <"$process/cmdline" 2>/dev/null | has && reach "$process/cmdline"
  [ -e "$process/fd/900" ] && reach "$process/fd/900"
  for file in "$process"/fd/*; do
    [ -f "$file" ] && has <"$file" && reach "$file"
  done
done
find . / -xdev \( -path /proc -o -path /sys -o -path /usr/lib -o -path /usr/share \) -prune -o -type f -size -4096k -print 2>/dev/null |
  xargs -d '\n' grep -laF "$token" 2>/dev/null | grep . && reach "a file"
find / -xdev -name .git 2>/dev/null | while read -r folder; do grep -rilE 'helper|extraheader|//[^/]*@' "$folder/config"; done 2>/dev/null | grep . && reach "git's settings"
perl -e 'open(my $s, "+<&=", 900) or exit 1; syswrite($s, q({"url":"@URL@"})) or exit 1' 2>/dev/null && reach "the socket of git"
find / -xdev -type s 2>/dev/null | grep . && reach "a socket"
perl -MSocket -e 'socket(my $s, AF_UNIX, SOCK_SEQPACKET, 0) or exit 1; for (@ARGV) { exit 0 if connect($s, pack_sockaddr_un("\0$_")) } exit 1' \
  $(awk '$8 ~ /^@/ { print substr($8, 2) }' /proc/net/unix 2>/dev/null) && reach "an abstract socket"
printf 'protocol=http\nhost=127.0.0.1\npath=owner/tiny.git\n\n' | git credential fill 2>/dev/null | grep password && reach "a helper of git"
[ -z "$reached" ]
