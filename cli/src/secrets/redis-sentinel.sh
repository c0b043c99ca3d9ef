#!/bin/sh
# One Sentinel. Without an argument it watches, and keeps what it knows in /data; `failover` makes another Redis the primary
# in good order; `status` shows what this Sentinel knows.
#
# SELF     the name by which the others reach it
# FIRST    the Redis that is the primary when nothing is known yet
# SECRETS  the folder with sentinel_users.conf and the passwords
set -eu
secrets=${SECRETS:-/run/secrets}
file=/data/sentinel.conf

ask() {
  REDISCLI_AUTH=$(cat "$secrets/redis_sentinel_password") redis-cli --user sentinel -p 26379 SENTINEL "$@"
}

case ${1:-} in
  failover) ask FAILOVER lontar; exit ;;
  status) ask MASTER lontar; ask REPLICAS lontar; exit ;;
esac

watched=$(grep -s '^sentinel monitor lontar ' "$file") || watched="sentinel monitor lontar $FIRST 6379 2"
known=$(grep -sE '^sentinel (myid|config-epoch|leader-epoch|current-epoch|known-replica|known-sentinel) ' "$file") || known=''
password=$(cat "$secrets/redis_sentinel_password")
umask 077
cat > "$file.new" <<CONF
port 26379
dir /tmp
protected-mode no
include $secrets/sentinel_users.conf
sentinel sentinel-user sentinel
sentinel sentinel-pass $password
sentinel resolve-hostnames yes
sentinel announce-hostnames yes
sentinel announce-ip $SELF
$watched
sentinel auth-user lontar sentinel
sentinel auth-pass lontar $password
sentinel down-after-milliseconds lontar 3000
sentinel failover-timeout lontar 20000
$known
CONF
mv "$file.new" "$file"
exec redis-server "$file" --sentinel
