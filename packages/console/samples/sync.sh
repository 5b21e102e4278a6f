# cursor.txt: where the last run ended; without it the list is read from its start.
url="$BASE_URL/orders?limit=100"
[ -s cursor.txt ] && url="$url&cursor=$(cat cursor.txt)"
while [ -n "$url" ]; do
  curl -sS --fail-with-body -D headers.txt -H "Authorization: Bearer $TOKEN" "$url" || exit 1
  echo
  # Store the records and the cursor together: what is written after it comes in the next run.
  tr -d '\r' < headers.txt | sed -n 's/^[Ss]ync-[Cc]ursor: //p' > cursor.txt
  url=$(tr -d '\r' < headers.txt | sed -n 's/^[Ll]ink:.*<\([^>]*\)>; *rel="next".*/\1/p')
done
