# Makes namespaces that `unshare` has just made into a host, and stays as its first process: when it is killed, all of the host ends.
# Arguments: the name, the address, the address at the other end, the folder with `etc` and `root`, and a folder to hide.
set -e
hostname "$1"
ip link set lo up
until ip link set eth0 up 2>/dev/null; do sleep 0.02; done
ip addr add "$2/24" dev eth0
mount --bind "$4/etc" /etc/ssh
mount --bind "$4/root" /root
for folder in /tmp /run /dev/shm "$5"; do
    mount -t tmpfs none "$folder"
done
cd /
mkdir /run/sshd
/usr/sbin/sshd -D -e &
while :; do
    wait
    sleep 1
done
