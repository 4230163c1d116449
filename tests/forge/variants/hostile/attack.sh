# What a hostile pull request may try while it is built: to read and to change the lab's home, and to open the network. A test puts a
# folder and a port in the places of the two names. The build fails if anything is reached, and goes on if nothing is.
home='@HOME@'
port='@PORT@'
reached=
reach() {
  echo "reached: $1"
  reached=yes
}

for file in "$home/secret" "$home/.netrc" "$home/.ssh/id_ed25519" "$HOME/secret" "$HOME/.netrc" "$HOME/.ssh/id_ed25519"; do
  cat "$file" 2>/dev/null && reach "$file"
done
for folder in "$home" "$home/.ssh"; do
  (echo "the pull request" >"$folder/was-here") 2>/dev/null && reach "$folder/was-here"
done
env | grep -iE '^[^=]*(token|secret|password|credential)[^=]*=' && reach "variables"
perl -MIO::Socket::INET -e 'exit !IO::Socket::INET->new(PeerAddr => "127.0.0.1", PeerPort => shift, Timeout => 2)' \
  "$port" 2>/dev/null && reach "the network"
[ -z "$reached" ]
