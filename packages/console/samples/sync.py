import json, os, pathlib, re, urllib.error, urllib.parse, urllib.request

# Where the last run ended; without it the list is read from its start.
stored = pathlib.Path("cursor.txt")
start = os.environ["BASE_URL"] + "/orders?limit=100"
url = start + "&cursor=" + urllib.parse.quote(stored.read_text()) if stored.exists() else start
while url:
    request = urllib.request.Request(url, headers={"Authorization": "Bearer " + os.environ["TOKEN"]})
    try:
        response = urllib.request.urlopen(request)
    except urllib.error.HTTPError as error:
        if error.code != 410 or url == start:
            raise
        # The cursor is of a time that is gone: drop the copy, and begin anew.
        stored.unlink()
        url = start
        continue
    with response:
        for order in json.load(response):
            print(order["orderUniqueID"])
        # Store the records and the cursor together: what is written after it comes in the next run.
        stored.write_text(response.headers["Sync-Cursor"])
        link = re.search(r'<([^>]+)>;\s*rel="next"', response.headers.get("Link") or "")
    url = link.group(1) if link else None
