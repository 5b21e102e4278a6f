# The same key never makes a second parcel: keep it with the order, and send the same request again after a failure.
curl -sS --fail-with-body -X POST "$BASE_URL/shippings/labels/$CONTEXT/$CARRIER" \
  -H "Authorization: Bearer $TOKEN" -H 'Content-Type: application/json' \
  -H "Idempotency-Key: \"$LABEL_KEY\"" \
  -d '{
    "modeCol": "CCC", "modeLiv": "HOM",
    "expAddr1": "Acme Home", "expAddr2": "4 rue des Entrepôts", "expZip": "59810", "expCity": "Lesquin",
    "expCountry": "FR",
    "destAddr1": "Camille Moreau", "destAddr2": "6 place des Vosges", "destZip": "75004", "destCity": "Paris",
    "destCountry": "FR", "destTel1": "+33600000000", "weight": "1200", "nbPackage": "1", "outputType": "PdfUrl"
  }'
