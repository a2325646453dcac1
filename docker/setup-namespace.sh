#!/bin/sh
# The namespace and Navigator's search attributes (src/core/base/search-attributes.ts; a test compares the names).
set -eu

namespace=${TEMPORAL_NAMESPACE:-default}
temporal operator cluster health
temporal operator namespace describe -n "$namespace" >/dev/null 2>&1 ||
  temporal operator namespace create -n "$namespace" --retention 72h

# A namespace is known everywhere only some seconds after it was made.
tries=0
until existing=$(temporal operator search-attribute list -n "$namespace"); do
  tries=$((tries + 1))
  [ "$tries" -lt 30 ] || exit 1
  sleep 2
done

for attribute in \
  NavigatorKind=Keyword NavigatorStatus=Keyword NavigatorWorkflow=Keyword NavigatorStep=Keyword \
  NavigatorIssue=Keyword NavigatorAgent=Keyword NavigatorLedgerHead=Keyword NavigatorFormat=Keyword \
  NavigatorPriority=Int NavigatorPendingSyncs=Int NavigatorOpenReviews=Int \
  NavigatorOrder=Double NavigatorSyncs=KeywordList NavigatorAssignees=KeywordList \
  NavigatorReviewDue=Datetime NavigatorAskedAt=Datetime; do
  name=${attribute%%=*}
  echo "$existing" | grep -qw "$name" && continue
  temporal operator search-attribute create -n "$namespace" --name "$name" --type "${attribute##*=}"
done
