# Tries every way to a secret, or to something that it must not change, and prints the names of those that lead there.
# Arguments: NAME=VALUE for each place where something lies. What is only looked at outside a sandbox is not changed there.
use strict;
use warnings;
no warnings "portable";
use Socket;
use IPC::SysV qw(IPC_PRIVATE IPC_RMID);

my %place = map { split /=/, $_, 2 } @ARGV;
my @found;
my $parent = getppid();
my @processes = grep { $_ != $$ } map { m{/(\d+)$} ? $1 : () } glob("/proc/[0-9]*");

sub slurp {
    my ($path) = @_;
    open(my $file, '<:raw', $path) or return '';
    my $text = '';
    local $SIG{ALRM} = sub { die };
    eval { alarm 2; read($file, $text, 1 << 20); alarm 0; };
    return $text // '';
}

# A route to a text leads to the secret if the text has it.
sub route {
    my ($name, $try) = @_;
    my $text = eval { $try->() } // '';
    push @found, $name if $text =~ /canary-[0-9a-f]{16}/;
}

# A route to a deed leads there if the deed could be done.
sub deed {
    my ($name, $try) = @_;
    push @found, $name if eval { $try->() };
}

sub call { my $result = syscall(shift, @_); return $result >= 0; }

# What processes show of themselves.
route 'own-variables' => sub { join "\n", %ENV };
route 'own-environ' => sub { slurp("/proc/self/environ") };
route 'parent-environ' => sub { slurp("/proc/$parent/environ") };
route 'all-environ' => sub { join '', map { slurp("/proc/$_/environ") } @processes };
route 'all-arguments' => sub { join '', map { slurp("/proc/$_/cmdline") } @processes };
route 'all-directories' => sub { join '', map { slurp("/proc/$_/cwd/secret") } @processes };
route 'all-roots' => sub { join '', map { slurp("/proc/$_/root$place{home}/secret") } @processes };
route 'all-descriptors' => sub {
    join '', map { -f $_ ? slurp($_) : '' } map { glob("/proc/$_/fd/*") } @processes;
};
route 'own-descriptors' => sub {
    my $text = '';
    for my $number (3 .. 63) {
        open(my $file, '<&=', $number) or next;
        read($file, my $part, 1 << 20) if -f $file;
        $text .= $part // '';
    }
    $text;
};
route 'parent-memory' => sub {
    my $text = '';
    open(my $maps, '<', "/proc/$parent/maps") or return '';
    open(my $memory, '<:raw', "/proc/$parent/mem") or return '';
    for (<$maps>) {
        next unless /^([0-9a-f]+)-([0-9a-f]+) rw.*\[(heap|stack)\]/;
        sysseek($memory, hex $1, 0);
        sysread($memory, my $part, hex($2) - hex($1));
        $text .= $part // '';
    }
    $text;
};

# Files.
for my $name (qw(secret .ssh/id_ed25519 .netrc .git-credentials .cargo/credentials.toml .config/gh/hosts.yml .docker/config.json
    .npmrc .aws/credentials .pypirc)) {
    route "home/$name" => sub { slurp("$place{home}/$name") };
}
route 'home-by-user' => sub { slurp((getpwuid($>))[7] . "/secret") };
route 'database' => sub { slurp($place{database}) };
route 'results' => sub { join '', map { slurp($_) } glob("$place{results}/*/*") };
route 'other-job' => sub { slurp("$place{other}/secret") };
route 'own-checkout' => sub { slurp("$place{own}/.env") };
route 'temporary' => sub { join '', map { slurp($_) } glob("/tmp/*canary* $place{temporary}/*canary*") };
route 'var-temporary' => sub { join '', map { slurp($_) } glob("/var/tmp/*canary*") };
route 'shared-memory-file' => sub { join '', map { slurp($_) } glob("/dev/shm/*canary*") };
route 'shadow' => sub { slurp("/etc/shadow") =~ /root:/ ? 'canary-0000000000000000' : '' };

# Sockets and what processes share.
sub told_by {
    my ($address, $family) = @_;
    socket(my $socket, $family, SOCK_STREAM, 0) or return '';
    local $SIG{ALRM} = sub { die };
    my $text = '';
    eval { alarm 2; connect($socket, $address) or die; sysread($socket, $text, 4096); alarm 0; };
    return $text // '';
}
route 'agent-socket' => sub { told_by(pack_sockaddr_un($place{agent}), AF_UNIX) };
route 'abstract-socket' => sub { told_by(pack_sockaddr_un("\0$place{abstract}"), AF_UNIX) };
route 'metadata' => sub { told_by(pack_sockaddr_in($place{port}, INADDR_LOOPBACK), AF_INET) };
route 'metadata-by-host-address' => sub {
    join '', map { told_by(pack_sockaddr_in($place{port}, inet_aton($_)), AF_INET) } qw(127.0.0.2 0.0.0.0);
};
route 'metadata-6' => sub { told_by(pack_sockaddr_in6($place{port6}, Socket::IN6ADDR_LOOPBACK()), AF_INET6) };
route 'system-v-memory' => sub {
    my $id = shmget($place{memory}, 64, 0) // return '';
    shmread($id, my $text, 0, 64);
    $text;
};
route 'system-v-queue' => sub {
    my $id = msgget($place{queue}, 0) // return '';
    # Left there for whoever looks after this.
    msgrcv($id, my $text, 64, 0, 04000) or return '';
    msgsnd($id, $text, 04000);
    $text;
};
route 'keyring' => sub {
    my ($type, $name) = ("user", "tlslab-canary");
    my $key = syscall(250, 10, -3, $type, $name, 0);
    return '' if $key < 0;
    my $text = "\0" x 64;
    syscall(250, 11, $key, $text, 64);
    $text;
};

# Calls that look into processes or around walls. Numbers of x86-64.
# It seizes and does not stop; whoever traces lets go when it ends.
deed 'trace-parent' => sub { call(101, 0x4206, $parent, 0, 0) };
deed 'read-parent' => sub {
    my $part = "\0" x 8;
    open(my $maps, '<', "/proc/$parent/maps") or return 0;
    my ($start) = <$maps> =~ /^([0-9a-f]+)/ or return 0;
    my $local = pack 'QQ', unpack('Q', pack 'p', $part), 8;
    my $remote = pack 'QQ', hex $start, 8;
    syscall(310, $parent, $local, 1, $remote, 1, 0) > 0;
};
deed 'take-descriptor' => sub {
    my $process = syscall(434, $parent, 0);
    $process >= 0 and syscall(438, $process, 0, 0) >= 0;
};
deed 'enter-namespace' => sub { open(my $file, '<', "/proc/1/ns/net") or return 0; call(308, fileno($file), 0x40000000) };
deed 'make-namespace' => sub { defined(my $child = fork) or return 0; if (!$child) { exit(call(272, 0x10000000) ? 0 : 1) } waitpid($child, 0); $? == 0 };
deed 'mount' => sub { defined(my $child = fork) or return 0; if (!$child) { exit(call(272, 0x00020000) ? 0 : 1) } waitpid($child, 0); $? == 0 };
deed 'file-handle' => sub { my ($handle, $mount) = (pack('II', 128, 0) . "\0" x 128, "\0" x 8); call(303, -100, "/", $handle, $mount, 0) };
deed 'kernel-log' => sub { my $text = "\0" x 4096; call(103, 3, $text, 4096) };
deed 'counters' => sub { my $attributes = pack('II', 1, 128) . "\0" x 120; call(298, $attributes, 0, -1, -1, 0) };
deed 'kernel-program' => sub { my $attributes = "\0" x 128; call(321, 0, $attributes, 72) };
deed 'device' => sub { call(133, "$place{scratch}/device", 060660, 259 << 8) and unlink "$place{scratch}/device" };
deed 'terminal' => sub { open(my $terminal, '+<', '/dev/tty') };
deed 'set-clock' => sub { my $time = "\0" x 16; call(227, 99, $time) };
deed 'signal-others' => sub { scalar grep { $_ > 1 && kill(0, $_) } split /,/, $place{processes} };

# What must not be written. It is opened as if for writing and left as it is.
sub writable { open(my $file, '>>', $_[0]) }
deed 'write-database' => sub { -e $place{database} && writable($place{database}) };
deed 'write-home' => sub { -e "$place{home}/.bashrc" && writable("$place{home}/.bashrc") };
deed 'write-program' => sub { -e $place{program} && writable("$place{program}") };
deed 'write-product' => sub { -e $place{product} && writable($place{product}) };
deed 'write-tree' => sub { -e "$place{tree}/Cargo.toml" && writable("$place{tree}/Cargo.toml") };
deed 'write-other-job' => sub { -e "$place{other}/secret" && writable("$place{other}/secret") };
deed 'write-core-pattern' => sub { writable("/proc/sys/kernel/core_pattern") };
deed 'write-release-agent' => sub { grep { writable($_) } glob("/sys/fs/cgroup/*/release_agent") };
deed 'write-system' => sub { open(my $file, '>', "/usr/lib/tlslab-canary") and unlink "/usr/lib/tlslab-canary" };

# What would run as its owner, and memory that no process answers for.
deed 'file-as-owner' => sub {
    my $name = "$place{scratch}/x-as-owner-$$";
    open(my $file, '>', $name) or return 0;
    my $done = chmod(04755, $name) && -u $name;
    unlink $name;
    $done;
};
deed 'memory-file' => sub { my $name = "x"; call(319, $name, 0) };
deed 'memory-by-key' => sub { my $id = shmget(IPC_PRIVATE, 4096, 0600) // return 0; shmctl($id, IPC_RMID, 0) };

print "routes: ", join(' ', @found), " :end\n";
