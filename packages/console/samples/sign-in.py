import base64, hashlib, http.server, json, os, secrets, urllib.parse, urllib.request

auth_url, redirect_uri = os.environ["AUTH_URL"], os.environ["REDIRECT_URI"]
client = {"client_id": os.environ["CLIENT_ID"], "redirect_uri": redirect_uri}
here = urllib.parse.urlsplit(redirect_uri)
verifier, state = secrets.token_urlsafe(32), secrets.token_urlsafe(16)
challenge = base64.urlsafe_b64encode(hashlib.sha256(verifier.encode()).digest()).rstrip(b"=")
asked = {**client, "response_type": "code", "scope": "svc_connect", "state": state}
asked |= {"code_challenge": challenge.decode(), "code_challenge_method": "S256"}
back = {}


class Callback(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        address = urllib.parse.urlsplit(self.path)
        is_callback = address.path == here.path
        if is_callback:
            back.update(urllib.parse.parse_qsl(address.query))
        self.send_response(200 if is_callback else 404)
        self.end_headers()
        self.wfile.write(b"You can close this window.")

    def log_message(self, *_):
        pass  # the code stays out of the log


with http.server.HTTPServer((here.hostname, here.port), Callback) as server:
    print(f"Open in a browser: {auth_url}/connect/authorize?{urllib.parse.urlencode(asked)}", flush=True)
    while not back:
        server.handle_request()
if back.get("state") != state:
    raise SystemExit("This sign-in was not begun here.")
if "code" not in back:
    raise SystemExit(back.get("error", "no code"))

form = {**client, "grant_type": "authorization_code", "code": back["code"], "code_verifier": verifier}
request = urllib.request.Request(auth_url + "/connect/token", data=urllib.parse.urlencode(form).encode())
with urllib.request.urlopen(request) as response:
    token = json.load(response)
print(json.dumps({"access_token": token["access_token"], "expires_in": token["expires_in"]}))
