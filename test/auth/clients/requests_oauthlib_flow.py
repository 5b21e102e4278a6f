# The code flow by requests-oauthlib: writes the address to open, reads the one that the browser came back to, writes what it got.
import json
import sys

from requests_oauthlib import OAuth2Session

facts = json.loads(sys.stdin.readline())
session = OAuth2Session(facts["client_id"], redirect_uri=facts["redirect_uri"], scope=["svc_connect"])
verifier = session._client.create_code_verifier(64)
challenge = session._client.create_code_challenge(verifier, "S256")
address, state = session.authorization_url(facts["auth_url"] + "/connect/authorize", code_challenge=challenge, code_challenge_method="S256")
print(json.dumps({"address": address}), flush=True)

back = json.loads(sys.stdin.readline())["back"]
token_url = facts["auth_url"] + "/connect/token"
secret = {"client_secret": facts["secret"]} if facts["secret"] else {"include_client_id": True}
before = session.fetch_token(token_url, authorization_response=back, code_verifier=verifier, **secret)
read = session.get(facts["base_url"] + "/articles")
refreshing = {"auth": (facts["client_id"], facts["secret"])} if facts["secret"] else {"client_id": facts["client_id"]}
after = session.refresh_token(token_url, **refreshing)
again = session.get(facts["base_url"] + "/articles")
print(json.dumps({"before": dict(before), "after": dict(after), "read": [read.status_code, again.status_code]}), flush=True)
