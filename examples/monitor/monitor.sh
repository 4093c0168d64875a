#!/bin/sh
# Collects the new articles of some sites. Run it from cron:
#
#   */15 * * * *  /path/to/monitor.sh /path/to/seeds.txt /path/to/folder
#
# The folder holds a file of items, a log and a report per day, and the crawl state (crawl_state.db). Further arguments go to Scrapy.
# A run ends at once if the one before it is still busy. A run continues the work of one that was killed. The exit code is 1 if a site gave
# nothing, or mostly robot checks, error pages, empty pages and the like; then the table of the sites is printed, too.
set -eu
seeds=$1 folder=$2
shift 2
mkdir -p "$folder"
running="$folder/running"
if ! mkdir "$running" 2>/dev/null && kill -0 "$(cat "$running/pid" 2>/dev/null || echo none)" 2>/dev/null; then
    exit 0
fi
echo $$ >"$running/pid"
trap 'rm -r "$running"' EXIT

export SCRAPY_SETTINGS_MODULE="${SCRAPY_SETTINGS_MODULE:-webcontent.crawl.settings}"
day=$(date +%F)
items="$folder/$day.jsonl"
table="$running/table" code=0
scrapy harvest "$seeds" -o "$items" -s WEBCONTENT_CRAWL_STATE="sqlite:///$folder/crawl_state.db" -s WEBCONTENT_DUPLICATES=drop \
    -s WEBCONTENT_EMIT=article -s LOG_LEVEL=INFO -s LOG_FILE="$folder/$day.log" "$@" >"$table" || code=$?
cat "$table" >>"$folder/$day.log"
if [ "$code" -ne 0 ]; then
    cat "$table" >&2
fi
if [ -s "$items" ]; then
    scrapy report "$items" -o "$folder/$day.html"
fi
exit "$code"
