#!/bin/sh
# Databases and schema of Temporal in PostgreSQL. Runs at every start: an existing schema is only brought up to date.
set -eu

setup() {
  database=$1
  folder=/etc/temporal/schema/postgresql/v12/$2/versioned
  tool="temporal-sql-tool --plugin postgres12 --ep postgresql -p 5432 -u temporal --db $database"
  # Without a database or a version in it, the update fails: that is how a new installation is recognised.
  if $tool update-schema -d "$folder" 2>/dev/null; then
    echo "$database: schema is up to date"
    return
  fi
  echo "$database: new schema"
  $tool create
  $tool setup-schema -v 0.0
  $tool update-schema -d "$folder"
}

setup temporal temporal
setup temporal_visibility visibility
