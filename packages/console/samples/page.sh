url="$BASE_URL/orders?limit=100"
while [ -n "$url" ]; do
  curl -sS --fail-with-body -D headers.txt -H "Authorization: Bearer $TOKEN" "$url" || exit 1
  echo
  # The address of the next page; none on the last one.
  url=$(tr -d '\r' < headers.txt | sed -n 's/^[Ll]ink:.*<\([^>]*\)>; *rel="next".*/\1/p')
done
