curl -sS --fail-with-body -u "$CLIENT_ID:$CLIENT_SECRET" \
  -d grant_type=client_credentials -d scope=svc_connect \
  "$AUTH_URL/connect/token"
