# cursor.txt: where the last run ended; without it the list is read from its start.
start="$BASE_URL/orders?limit=100"
url=$start
[ -s cursor.txt ] && url="$url&cursor=$(cat cursor.txt)"
while [ -n "$url" ]; do
  status=$(curl -sS -o page.json -D headers.txt -w '%{http_code}' -H "Authorization: Bearer $TOKEN" "$url") || exit 1
  if [ "$status" = 410 ] && [ "$url" != "$start" ]; then
    # The cursor is of a time that is gone: drop the copy, and begin anew.
    rm cursor.txt
    url=$start
    continue
  fi
  cat page.json
  echo
  [ "$status" = 200 ] || exit 1
  # Store the records and the cursor together: what is written after it comes in the next run.
  tr -d '\r' < headers.txt | sed -n 's/^[Ss]ync-[Cc]ursor: //p' > cursor.txt
  url=$(tr -d '\r' < headers.txt | sed -n 's/^[Ll]ink:.*<\([^>]*\)>; *rel="next".*/\1/p')
done
