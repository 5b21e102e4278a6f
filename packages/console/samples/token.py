import base64, json, os, urllib.parse, urllib.request

secret = f"{os.environ['CLIENT_ID']}:{os.environ['CLIENT_SECRET']}".encode()
request = urllib.request.Request(
    os.environ["AUTH_URL"] + "/connect/token",
    data=urllib.parse.urlencode({"grant_type": "client_credentials", "scope": "svc_connect"}).encode(),
    headers={"Authorization": "Basic " + base64.b64encode(secret).decode()},
)
with urllib.request.urlopen(request) as response:
    token = json.load(response)
print(json.dumps({"access_token": token["access_token"], "expires_in": token["expires_in"]}))
