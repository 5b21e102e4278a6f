import os, time, urllib.error, urllib.request

request = urllib.request.Request(
    os.environ["BASE_URL"] + "/articles?limit=1", headers={"Authorization": "Bearer " + os.environ["TOKEN"]}
)
for attempt in range(1, 6):
    try:
        with urllib.request.urlopen(request) as response:
            print(response.read().decode())
        break
    except urllib.error.HTTPError as error:
        if error.code not in (429, 500, 502, 503, 504) or attempt == 5:
            raise
        time.sleep(float(error.headers.get("Retry-After") or 2**attempt))
