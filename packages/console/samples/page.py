import json, os, re, urllib.request

url = os.environ["BASE_URL"] + "/orders?limit=100"
while url:
    request = urllib.request.Request(url, headers={"Authorization": "Bearer " + os.environ["TOKEN"]})
    with urllib.request.urlopen(request) as response:
        for order in json.load(response):
            print(order["orderUniqueID"])
        # The address of the next page; none on the last one.
        link = re.search(r'<([^>]+)>;\s*rel="next"', response.headers.get("Link") or "")
    url = link.group(1) if link else None
