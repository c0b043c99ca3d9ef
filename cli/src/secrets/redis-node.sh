#!/bin/sh
# Starts one of several Redis that Sentinels watch, with the options given: as the primary where most Sentinels name it, else
# as a replica of the one that they name. It waits for them: what it was when it ended says nothing of what it is now.
#
# SELF       the name by which the others reach it
# SENTINELS  the names of all Sentinels, separated by spaces
# SECRETS    the folder with auth.conf and sentinel_client_password
set -eu
secrets=${SECRETS:-/run/secrets}

named() {
  for sentinel in $SENTINELS; do
    REDISCLI_AUTH=$(cat "$secrets/sentinel_client_password") timeout 2 redis-cli --user client -h "$sentinel" -p 26379 \
      SENTINEL GET-MASTER-ADDR-BY-NAME lontar 2>/dev/null | head -n 1
  done
}

all=$(echo "$SENTINELS" | wc -w)
tries=0
while :; do
  # The name that was given most often, with how often.
  most=$(named | grep . | sort | uniq -c | sort -rn | head -n 1) || most=''
  votes=$(echo "$most" | awk '{ print $1 + 0 }')
  primary=$(echo "$most" | awk '{ print $2 }')
  [ $((votes * 2)) -gt "$all" ] && break
  [ $((tries % 10)) -eq 0 ] && echo "waiting for the Sentinels ($SENTINELS) to say which Redis is the primary" >&2
  tries=$((tries + 1))
  sleep 1
done

if [ "$primary" = "$SELF" ]; then
  echo "$SELF is the primary" >&2
  exec redis-server "$@" --replica-announce-ip "$SELF"
fi
echo "$SELF follows $primary" >&2
exec redis-server "$@" --replica-announce-ip "$SELF" --replicaof "$primary" 6379
