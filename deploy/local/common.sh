# shellcheck shell=bash
# What the local servers share. The scripts of a server source this file and call `server` first.
#
# - All that a server keeps is in its own folder, and it runs with that folder as its working
#   directory: `program` (fetched once), `data`, `server.log`, `server.pid`, its settings.
# - One script works on a server at a time; a lock in the folder sees to that.
# - A pid counts only while that process runs from this folder, so a reused pid is never taken for it.
# - Standard output is left to what a caller may want to read; all that people read is on standard error.

say() { printf '%s: %s\n' "$name" "$*" >&2; }
die() { say "$@"; exit 1; }

# Names the server that the script is about, and reads the settings that all servers have.
server() {
  name=$1
  case $name in
    kafka) port=19092 ;;
    registry) port=18081 ;;
    *) die 'there is no such server' ;;
  esac
  source_folder=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/$name" && pwd)
  port=$(setting PORT "$port")
  wait_s=$(setting WAIT_S 90)
  local cache=${XDG_CACHE_HOME:-${HOME:-/tmp}/.cache}
  folder=${MNEME_SERVERS_DIR:-$cache/mneme/servers}/$name
  { mkdir -p -- "$folder" && cd -- "$folder" && folder=$(pwd); } || die "can't use the folder $folder"
  mark=-Dmneme.server=$folder
  [[ $port =~ ^[0-9]+$ ]] || die "${name^^}_PORT must be a number, not '$port'"
}

# The setting KEY of this server, such as KAFKA_PORT, or the default.
setting() {
  local variable=${name^^}_$1
  printf '%s' "${!variable:-$2}"
}

need() { command -v "$1" >/dev/null || die "needs the command $1 (Debian: apt-get install $2)"; }

lock() {
  need flock util-linux
  exec 9>.lock
  flock -n 9 && return
  say 'waiting for another up or down'
  flock -w 600 9 || die "another up or down holds $folder/.lock"
}

running() {
  pid=$(cat server.pid 2>/dev/null) && [ -n "$pid" ] &&
    tr '\0' '\n' <"/proc/$pid/cmdline" 2>/dev/null | grep -qxF -- "$mark"
} 2>/dev/null

listens() { (exec 3<>"/dev/tcp/127.0.0.1/$1") 2>/dev/null; }

must_be_free() {
  local each
  for each in "$@"; do
    ! listens "$each" || die "port $each is taken by another process"
  done
}

find_java() {
  local major
  java=${JAVA_HOME:+$JAVA_HOME/bin/}java
  command -v "$java" >/dev/null || die "there is no $java: install Java 17 or newer, or set JAVA_HOME"
  major=$("$java" -version 2>&1 9>&- | sed -n 's/.* version "\([0-9]*\).*/\1/p' | head -n 1)
  [ "${major:-0}" -ge 17 ] || die "needs Java 17 or newer; $java is '${major:-unknown}'"
}

# Has a goal of the Maven dependency plugin put what pom.xml names into `program`, once for each
# pom.xml. Maven's own repository goes when that is done: nothing is kept twice. After a failure it
# stays, so that the next try goes on from there.
fetch() {
  local goal=$1 stamp
  stamp=$(cksum <"$source_folder/pom.xml")
  [ "$(cat program/.pom 2>/dev/null)" != "$stamp" ] || return 0
  need "${MVN:-mvn}" maven
  say 'fetching the program with Maven (only this once)'
  rm -rf program program.new
  cp -- "$source_folder/pom.xml" pom.xml
  "${MVN:-mvn}" -B -q -Dstyle.color=never -f pom.xml -Dmaven.repo.local="$folder/maven" "$goal" \
    -DoutputDirectory="$folder/program.new" >maven.log 2>&1 9>&- </dev/null || {
    tail -n 20 maven.log >&2
    die "Maven failed; what it said: $folder/maven.log"
  }
  printf '%s\n' "$stamp" >program.new/.pom
  mv program.new program
  rm -rf maven target
}

# Starts Java with these arguments, detached from the terminal and from this script.
launch() {
  local options
  need setsid util-linux
  read -ra options <<<"$(setting JAVA_OPTS '')"
  started=${EPOCHREALTIME//[.,]/}
  [ ! -f server.log ] || mv server.log server.log.1
  : >server.log # `ready` may look before Java has said anything
  # The first compiler alone and the serial collector: a short start and little memory.
  setsid "$java" "$mark" -Xmx"$(setting HEAP 512m)" -XX:+UseSerialGC -XX:TieredStopAtLevel=1 \
    -XX:+ExitOnOutOfMemoryError -Djava.awt.headless=true ${options[@]+"${options[@]}"} "$@" \
    >server.log 2>&1 </dev/null 9>&- &
  pid=$!
  printf '%s\n' "$pid" >server.pid
  printf '%s\n' "$port" >server.port
}

# Waits until `ready`, a function of the server's script. What this script started and what does not
# get ready is stopped again.
await() {
  local from=${started:-${EPOCHREALTIME//[.,]/}} at
  at=$(cat server.port)
  [ "$at" = "$port" ] || die "runs already, on port $at: stop it first to have it on $port"
  until ready; do
    kill -0 "$pid" 2>/dev/null || give_up 'ended while starting'
    [ $((${EPOCHREALTIME//[.,]/} - from)) -lt $((wait_s * 1000000)) ] || give_up "not ready after $wait_s s"
    sleep 0.1
  done
  if [ -n "${started:-}" ]; then
    say "ready on port $port after $(((${EPOCHREALTIME//[.,]/} - from) / 1000)) ms, pid $pid, log $folder/server.log"
  else
    say "runs already on port $port, pid $pid"
  fi
}

give_up() {
  tail -n 30 server.log | cut -c1-300 >&2
  if [ -n "${started:-}" ]; then
    kill "$pid" 2>/dev/null || true
    rm -f server.pid
  fi
  die "$1; its log: $folder/server.log"
}

# The whole of a `down`: stops the server; with --wipe also deletes its data and logs.
stop() {
  local wipe=no patience
  case $* in
    '') ;;
    --wipe) wipe=yes ;;
    *) die 'usage: down [--wipe]' ;;
  esac
  lock
  if running; then
    kill "$pid"
    patience=$(setting STOP_WAIT_S 20)
    for ((tenth = 0; tenth < patience * 10; tenth++)); do
      running || break
      sleep 0.1
    done
    if running; then
      say "still there after $patience s: killing it"
      kill -9 "$pid"
      while running; do sleep 0.1; done
    fi
    say 'stopped'
  else
    say 'was not running'
  fi
  rm -f server.pid
  if [ "$wipe" = yes ]; then
    rm -rf data server.log server.log.1
    say 'data deleted'
  fi
}
