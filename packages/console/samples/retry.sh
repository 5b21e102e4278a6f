# curl waits as Retry-After says after 429 and 503, and tries again.
curl -sS --fail-with-body --retry 5 --retry-max-time 60 \
  -H "Authorization: Bearer $TOKEN" "$BASE_URL/articles?limit=1"
