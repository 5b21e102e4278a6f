import json, os, urllib.request

label = {
    "modeCol": "CCC", "modeLiv": "HOM",
    "expAddr1": "Acme Home", "expAddr2": "4 rue des Entrepôts", "expZip": "59810", "expCity": "Lesquin",
    "expCountry": "FR",
    "destAddr1": "Camille Moreau", "destAddr2": "6 place des Vosges", "destZip": "75004", "destCity": "Paris",
    "destCountry": "FR", "destTel1": "+33600000000", "weight": "1200", "nbPackage": "1", "outputType": "PdfUrl",
}
request = urllib.request.Request(
    "{BASE_URL}/shippings/labels/{CONTEXT}/{CARRIER}".format(**os.environ),
    data=json.dumps(label).encode(),
    headers={
        "Authorization": "Bearer " + os.environ["TOKEN"],
        "Content-Type": "application/json",
        # The same key never makes a second parcel: keep it with the order.
        "Idempotency-Key": '"' + os.environ["LABEL_KEY"] + '"',
    },
)
with urllib.request.urlopen(request) as response:
    result = json.load(response)
print(result["expeditionNumber"], result["outputs"][0]["value"])
