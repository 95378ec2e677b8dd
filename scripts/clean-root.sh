# Sourced by scripts that try prony in a clean Debian. This needs root.

# make_root FOLDER [PACKAGE,...]: makes a minimal Debian there with debootstrap, of the release and from the mirror that apt uses on
# this machine, with the settings of its apt. Sets `suite`.
make_root() {
    [ "$(id -u)" = 0 ] || { echo "error: debootstrap needs root" >&2 && exit 2; }
    # The first candidate of base-files tells the mirror and the suite of Debian itself, whatever other sources there are.
    line=$(apt-cache policy base-files | sed -n 's/^ *[0-9]* \(http[^ ]*\) \([^ /]*\)\/main .*/\1 \2/p' | head -n 1)
    mirror=${line% *}
    suite=${line#* }
    [ -n "$line" ] || { echo "error: apt names no mirror of Debian" >&2 && exit 2; }
    echo "making a clean root of $suite" >&2
    debootstrap --variant=minbase ${2:+"--include=$2"} "$suite" "$1" "$mirror" >"$1.log" 2>&1 || { tail -n 20 "$1.log" >&2 && exit 1; }
    rm -f "$1.log"
    # Proxies and certificates of this machine's apt: the root is fetched through them as well.
    cp -R /etc/apt/apt.conf.d/. "$1/etc/apt/apt.conf.d/"
}
