import{A as e,B as t,H as n,L as r,M as i,N as a,Q as o,R as s,St as c,T as l,a as u,dt as d,h as f,ht as p,it as m,lt as h,m as g,ot as ee,p as _,pt as v,w as y,x as b}from"./states-CYS85H8E.js";import{D as x,E as S,o as C,p as te}from"./contexts-BNgUnuj1.js";import{t as ne}from"./get-contrast-color-JaA3M0nt.js";import{t as w}from"./get-env-MimdSsZv.js";import{n as re,t as T}from"./to-int-fxDwOtPS.js";import{r as E}from"./use-merged-ref-DMzghNyu.js";import{n as ie,t as ae}from"./use-uncontrolled-DwxJ0Udm.js";import{t as D}from"./use-clipboard-DY56yS8T.js";import{t as O}from"./use-local-storage-BgjhqbWp.js";import{r as k,t as A}from"./tasks-CZnb4z5x.js";function j(e,t){if(e===t||Number.isNaN(e)&&Number.isNaN(t))return!0;if(!(e instanceof Object)||!(t instanceof Object))return!1;let n=Object.keys(e),{length:r}=n;if(r!==Object.keys(t).length)return!1;for(let i=0;i<r;i+=1){let r=n[i];if(!(r in t)||e[r]!==t[r]&&!(Number.isNaN(e[r])&&Number.isNaN(t[r])))return!1}return!0}var M=c(p(),1);function N(e,t){if(!e||!t)return!1;if(e===t)return!0;if(e.length!==t.length)return!1;for(let n=0;n<e.length;n+=1)if(!j(e[n],t[n]))return!1;return!0}function P(e){let t=(0,M.useRef)([]),n=(0,M.useRef)(0);return N(t.current,e)||(t.current=e,n.current+=1),[n.current]}function F(e,t){(0,M.useEffect)(e,P(t))}function I(e,t,n={autoInvoke:!1}){let r=(0,M.useRef)(null),i=re(e),a=(0,M.useCallback)((...e)=>{r.current||=window.setTimeout(()=>{i(...e),r.current=null},t)},[t]),o=(0,M.useCallback)(()=>{r.current&&=(window.clearTimeout(r.current),null)},[]);return(0,M.useEffect)(()=>(n.autoInvoke&&a(),o),[o,a]),{start:a,clear:o}}function L(e,t,n){let r=(0,M.useRef)(null);(0,M.useEffect)(()=>{r.current&&=(r.current.disconnect(),null);let i=typeof n==`function`?n():n;return i&&(r.current=new MutationObserver(e),r.current.observe(i,t)),()=>{r.current&&=(r.current.disconnect(),null)}},[e,t,n])}function oe(){let[e,t]=(0,M.useState)(!1);return(0,M.useEffect)(()=>t(!0),[]),e}function se(e){return typeof e==`string`||typeof e==`number`||typeof e==`boolean`||typeof e==`bigint`}function R(e,t){if(!t||!e)return!1;let n=t.parentNode;for(;n!=null;){if(n===e)return!0;n=n.parentNode}return!1}function z({target:e,parent:t,ref:n,displayAfterTransitionEnd:r,onTransitionStart:i,onTransitionEnd:a}){let o=(0,M.useRef)(-1),s=(0,M.useRef)(e),[c,l]=(0,M.useState)(!1),[u,d]=(0,M.useState)(typeof r==`boolean`&&r),f=()=>{if(!e||!t||!n.current)return;let r=e.getBoundingClientRect(),i=t.getBoundingClientRect(),a=t.offsetWidth===0?1:i.width/t.offsetWidth,o=t.offsetHeight===0?1:i.height/t.offsetHeight,s=window.getComputedStyle(e),c=window.getComputedStyle(t),l=T(s.borderTopWidth)+T(c.borderTopWidth),u=T(s.borderLeftWidth)+T(c.borderLeftWidth),d={top:(r.top-i.top)/o-l,left:(r.left-i.left)/a-u,width:r.width/a,height:r.height/o};n.current.style.transform=`translateY(${d.top}px) translateX(${d.left}px)`,n.current.style.width=`${d.width}px`,n.current.style.height=`${d.height}px`},p=()=>{window.clearTimeout(o.current),n.current&&(n.current.style.transitionDuration=`0ms`),f(),o.current=window.setTimeout(()=>{n.current&&(n.current.style.transitionDuration=``)},30)},m=(0,M.useRef)(null),h=(0,M.useRef)(null),g=(0,M.useRef)(null);return(0,M.useEffect)(()=>{if(c&&s.current!==e&&i&&i(),s.current=e,f(),e)return m.current=new ResizeObserver(p),m.current.observe(e),t&&(h.current=new ResizeObserver(p),h.current.observe(t),g.current=new MutationObserver(()=>{t.contains(e)&&f()}),g.current.observe(t,{childList:!0,subtree:!0})),()=>{m.current?.disconnect(),h.current?.disconnect(),g.current?.disconnect()}},[t,e]),(0,M.useEffect)(()=>{if(t){let e=e=>{R(e.target,t)&&(p(),d(!1))};return t.addEventListener(`transitionend`,e),()=>{t.removeEventListener(`transitionend`,e)}}},[t]),(0,M.useEffect)(()=>{if(n.current&&a){let e=e=>{e.propertyName===`transform`&&a()};return n.current.addEventListener(`transitionend`,e),()=>{n.current?.removeEventListener(`transitionend`,e)}}},[a]),I(()=>{w()!==`test`&&l(!0)},20,{autoInvoke:!0}),L(e=>{e.forEach(e=>{e.type===`attributes`&&e.attributeName===`dir`&&p()})},{attributes:!0,attributeFilter:[`dir`]},()=>document.documentElement),{initialized:c,hidden:u}}var B={root:`m_96b553a6`},V=n(),H=m((e,{transitionDuration:t},{shouldReduceMotion:n})=>({root:{"--transition-duration":e.respectReducedMotion&&n?`0ms`:typeof t==`number`?`${t}ms`:t||`150ms`}})),U=i(t=>{let n=s(`FloatingIndicator`,null,t),{classNames:i,className:a,style:o,styles:c,unstyled:l,vars:u,target:d,parent:f,transitionDuration:p,mod:m,displayAfterTransitionEnd:h,onTransitionStart:g,onTransitionEnd:_,attributes:v,ref:y,...b}=n,x=ee(),S=r({name:`FloatingIndicator`,classes:B,props:n,className:a,style:o,classNames:i,styles:c,unstyled:l,attributes:v,vars:u,varsResolver:H,stylesCtx:{shouldReduceMotion:x}}),C=(0,M.useRef)(null),{initialized:te,hidden:ne}=z({target:d,parent:f,ref:C,displayAfterTransitionEnd:h,onTransitionStart:g,onTransitionEnd:_}),w=E(y,C);return!d||!f?null:(0,V.jsx)(e,{ref:w,mod:[{initialized:te,hidden:ne},m],...S(`root`),...b})});U.displayName=`@mantine/core/FloatingIndicator`,U.classes=B,U.varsResolver=H;var W={root:`m_cf365364`,indicator:`m_9e182ccd`,label:`m_1738fcb2`,input:`m_1714d588`,control:`m_69686b9b`,innerLabel:`m_78882f40`},ce={withItemsBorders:!0},G=m((e,{radius:t,color:n,transitionDuration:r,size:i,transitionTimingFunction:a})=>({root:{"--sc-radius":t===void 0?void 0:d(t),"--sc-color":n?o(n,e):void 0,"--sc-shadow":n?void 0:`var(--mantine-shadow-xs)`,"--sc-transition-duration":r===void 0?void 0:`${r}ms`,"--sc-transition-timing-function":a,"--sc-padding":v(i,`sc-padding`),"--sc-font-size":h(i)}})),K=a(n=>{let i=s(`SegmentedControl`,ce,n),{classNames:a,className:o,style:c,styles:l,unstyled:u,vars:d,data:f,value:p,defaultValue:m,onChange:h,size:g,name:ee,disabled:_,readOnly:v,fullWidth:y,orientation:b,radius:x,color:S,transitionDuration:C,transitionTimingFunction:te,variant:w,autoContrast:re,withItemsBorders:T,mod:D,attributes:O,ref:k,...A}=i,j=r({name:`SegmentedControl`,props:i,classes:W,className:o,style:c,classNames:a,styles:l,unstyled:u,attributes:O,vars:d,varsResolver:G}),N=t(),P=f.map(e=>se(e)?{label:`${e}`,value:e}:e),I=oe(),[L,R]=(0,M.useState)(0),[z,B]=(0,M.useState)(null),[H,K]=(0,M.useState)({}),q=(e,t)=>{e!==null&&H[t]!==e&&(H[t]=e,K({...H}))},[J,Y]=ae({value:p,defaultValue:m,finalValue:Array.isArray(f)?P.find(e=>!e.disabled)?.value??f[0]?.value??null:null,onChange:h}),X=ie(ee),Z=P.map(e=>`${e.value}`),le=P.map(t=>(0,M.createElement)(e,{...j(`control`),mod:{active:J===t.value,orientation:b},key:`${t.value}`},(0,M.createElement)(`input`,{...j(`input`),disabled:_||t.disabled,type:`radio`,name:X,value:`${t.value}`,id:`${X}-${t.value}`,checked:J===t.value,onChange:()=>!v&&Y(t.value),"data-focus-ring":N.focusRing,key:`${t.value}-input`}),(0,M.createElement)(e,{component:`label`,...j(`label`),mod:{active:J===t.value&&!(_||t.disabled),disabled:_||t.disabled,"read-only":v},htmlFor:`${X}-${t.value}`,ref:e=>q(e,`${t.value}`),__vars:{"--sc-label-color":S===void 0?void 0:ne({color:S,theme:N,autoContrast:re})},key:`${t.value}-label`},(0,V.jsx)(`span`,{...j(`innerLabel`),children:t.label})))),ue=E(k,B);return F(()=>{R(e=>e+1)},[f.length]),F(()=>{K(e=>{let t={};return Z.forEach(n=>{n in e&&(t[n]=e[n])}),Object.keys(t).length===Object.keys(e).length?e:t})},[Z]),f.length===0?null:(0,V.jsxs)(e,{...j(`root`),variant:w,size:g,ref:ue,mod:[{"full-width":y,orientation:b,initialized:I,"with-items-borders":T},D],...A,role:`radiogroup`,"data-disabled":_,children:[J!==void 0&&(0,V.jsx)(U,{target:H[`${J}`],parent:z,component:`span`,transitionDuration:`var(--sc-transition-duration)`,...j(`indicator`)},L),le]})});K.classes=W,K.varsResolver=G,K.displayName=`@mantine/core/SegmentedControl`;var q=`using System;
using System.Collections.Generic;
using System.Net.Http;
using System.Net.Http.Headers;
using System.Runtime.Serialization.Json;
using System.Text.RegularExpressions;
using System.Threading.Tasks;

public class Order
{
    public string orderUniqueID { get; set; }
}

static class Sample
{
    static string Setting(string name) => Environment.GetEnvironmentVariable(name);

    static void Main() => ReadPages().GetAwaiter().GetResult();

    static async Task ReadPages()
    {
        var http = new HttpClient();
        http.DefaultRequestHeaders.Authorization = new AuthenticationHeaderValue("Bearer", Setting("TOKEN"));
        var json = new DataContractJsonSerializer(typeof(Order[]));
        var url = $"{Setting("BASE_URL")}/orders?limit=100";
        while (url != null)
        {
            var response = await http.GetAsync(url);
            response.EnsureSuccessStatusCode();
            foreach (var order in (Order[])json.ReadObject(await response.Content.ReadAsStreamAsync()))
                Console.WriteLine(order.orderUniqueID);
            // The address of the next page; none on the last one.
            var link = response.Headers.TryGetValues("Link", out IEnumerable<string> values)
                ? string.Join(",", values)
                : "";
            var next = Regex.Match(link, "<([^>]+)>;\\\\s*rel=\\"next\\"");
            url = next.Success ? next.Groups[1].Value : null;
        }
    }
}
`,J=`import json, os, re, urllib.request

url = os.environ["BASE_URL"] + "/orders?limit=100"
while url:
    request = urllib.request.Request(url, headers={"Authorization": "Bearer " + os.environ["TOKEN"]})
    with urllib.request.urlopen(request) as response:
        for order in json.load(response):
            print(order["orderUniqueID"])
        # The address of the next page; none on the last one.
        link = re.search(r'<([^>]+)>;\\s*rel="next"', response.headers.get("Link") or "")
    url = link.group(1) if link else None
`,Y=`url="$BASE_URL/orders?limit=100"
while [ -n "$url" ]; do
  curl -sS --fail-with-body -D headers.txt -H "Authorization: Bearer $TOKEN" "$url" || exit 1
  echo
  # The address of the next page; none on the last one.
  url=$(tr -d '\\r' < headers.txt | sed -n 's/^[Ll]ink:.*<\\([^>]*\\)>; *rel="next".*/\\1/p')
done
`,X=`const { BASE_URL, TOKEN } = process.env;

let url: string | undefined = \`\${BASE_URL}/orders?limit=100\`;
while (url !== undefined) {
  const response: Response = await fetch(url, { headers: { authorization: \`Bearer \${TOKEN}\` } });
  if (!response.ok) throw new Error(await response.text());
  for (const order of await response.json()) console.log(order.orderUniqueID);
  // The address of the next page; none on the last one.
  url = /<([^>]+)>;\\s*rel="next"/.exec(response.headers.get('link') ?? '')?.[1];
}
`,Z=`using System;
using System.Linq;
using System.Net.Http;
using System.Net.Http.Headers;
using System.Threading.Tasks;

static class Sample
{
    static readonly int[] mayPass = { 429, 500, 502, 503, 504 };

    static string Setting(string name) => Environment.GetEnvironmentVariable(name);

    static void Main() => ReadArticles().GetAwaiter().GetResult();

    static async Task ReadArticles()
    {
        var http = new HttpClient();
        http.DefaultRequestHeaders.Authorization = new AuthenticationHeaderValue("Bearer", Setting("TOKEN"));
        for (var attempt = 1; ; attempt++)
        {
            var response = await http.GetAsync($"{Setting("BASE_URL")}/articles?limit=1");
            var text = await response.Content.ReadAsStringAsync();
            if (response.IsSuccessStatusCode)
            {
                Console.WriteLine(text);
                return;
            }
            if (!mayPass.Contains((int)response.StatusCode) || attempt == 5) throw new Exception(text);
            await Task.Delay(response.Headers.RetryAfter?.Delta ?? TimeSpan.FromSeconds(Math.Pow(2, attempt)));
        }
    }
}
`,le=`import os, time, urllib.error, urllib.request

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
`,ue=`# curl waits as Retry-After says after 429 and 503, and tries again.
curl -sS --fail-with-body --retry 5 --retry-max-time 60 \\
  -H "Authorization: Bearer $TOKEN" "$BASE_URL/articles?limit=1"
`,de=`const { BASE_URL, TOKEN } = process.env;

for (let attempt = 1; ; attempt += 1) {
  const response = await fetch(\`\${BASE_URL}/articles?limit=1\`, { headers: { authorization: \`Bearer \${TOKEN}\` } });
  if (response.ok) {
    console.log(await response.text());
    break;
  }
  if (![429, 500, 502, 503, 504].includes(response.status) || attempt === 5) throw new Error(await response.text());
  const seconds = Number(response.headers.get('retry-after') ?? 2 ** attempt);
  await new Promise((resolve) => setTimeout(resolve, seconds * 1000));
}
`,fe=`using System;
using System.Net.Http;
using System.Net.Http.Headers;
using System.Text;
using System.Threading.Tasks;

static class Sample
{
    const string label = @"{
      ""modeCol"": ""CCC"", ""modeLiv"": ""HOM"",
      ""expAddr1"": ""Acme Home"", ""expAddr2"": ""4 rue des Entrepôts"", ""expZip"": ""59810"",
      ""expCity"": ""Lesquin"", ""expCountry"": ""FR"",
      ""destAddr1"": ""Camille Moreau"", ""destAddr2"": ""6 place des Vosges"", ""destZip"": ""75004"",
      ""destCity"": ""Paris"", ""destCountry"": ""FR"", ""destTel1"": ""+33600000000"",
      ""weight"": ""1200"", ""nbPackage"": ""1"", ""outputType"": ""PdfUrl""
    }";

    static string Setting(string name) => Environment.GetEnvironmentVariable(name);

    static void Main() => MakeLabel().GetAwaiter().GetResult();

    static async Task MakeLabel()
    {
        var http = new HttpClient();
        http.DefaultRequestHeaders.Authorization = new AuthenticationHeaderValue("Bearer", Setting("TOKEN"));
        // The same key never makes a second parcel: keep it with the order.
        http.DefaultRequestHeaders.Add("Idempotency-Key", $"\\"{Setting("LABEL_KEY")}\\"");
        var address = $"{Setting("BASE_URL")}/shippings/labels/{Setting("CONTEXT")}/{Setting("CARRIER")}";
        var body = new StringContent(label, Encoding.UTF8, "application/json");
        var response = await http.PostAsync(address, body);
        response.EnsureSuccessStatusCode();
        Console.WriteLine(await response.Content.ReadAsStringAsync());
    }
}
`,pe=`import json, os, urllib.request

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
`,me=`# The same key never makes a second parcel: keep it with the order, and send the same request again after a failure.
curl -sS --fail-with-body -X POST "$BASE_URL/shippings/labels/$CONTEXT/$CARRIER" \\
  -H "Authorization: Bearer $TOKEN" -H 'Content-Type: application/json' \\
  -H "Idempotency-Key: \\"$LABEL_KEY\\"" \\
  -d '{
    "modeCol": "CCC", "modeLiv": "HOM",
    "expAddr1": "Acme Home", "expAddr2": "4 rue des Entrepôts", "expZip": "59810", "expCity": "Lesquin",
    "expCountry": "FR",
    "destAddr1": "Camille Moreau", "destAddr2": "6 place des Vosges", "destZip": "75004", "destCity": "Paris",
    "destCountry": "FR", "destTel1": "+33600000000", "weight": "1200", "nbPackage": "1", "outputType": "PdfUrl"
  }'
`,he=`const { BASE_URL, TOKEN, CONTEXT, CARRIER, LABEL_KEY } = process.env;

const response = await fetch(\`\${BASE_URL}/shippings/labels/\${CONTEXT}/\${CARRIER}\`, {
  method: 'POST',
  headers: {
    authorization: \`Bearer \${TOKEN}\`,
    'content-type': 'application/json',
    // The same key never makes a second parcel: keep it with the order.
    'idempotency-key': \`"\${LABEL_KEY}"\`,
  },
  body: JSON.stringify({
    modeCol: 'CCC',
    modeLiv: 'HOM',
    ...{ expAddr1: 'Acme Home', expAddr2: '4 rue des Entrepôts', expZip: '59810', expCity: 'Lesquin' },
    expCountry: 'FR',
    ...{ destAddr1: 'Camille Moreau', destAddr2: '6 place des Vosges', destZip: '75004', destCity: 'Paris' },
    ...{ destCountry: 'FR', destTel1: '+33600000000', weight: '1200', nbPackage: '1', outputType: 'PdfUrl' },
  }),
});
if (!response.ok) throw new Error(await response.text());
const { expeditionNumber, outputs } = await response.json();
console.log(expeditionNumber, outputs[0].value);
`,ge=`import base64, hashlib, http.server, json, os, secrets, urllib.parse, urllib.request

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
`,_e=`import { createHash, randomBytes } from 'node:crypto';
import { createServer } from 'node:http';

const { AUTH_URL = '', CLIENT_ID = '', REDIRECT_URI = '' } = process.env;
const here = new URL(REDIRECT_URI);
const verifier = randomBytes(32).toString('base64url');
const state = randomBytes(16).toString('base64url');

const address = new URL(\`\${AUTH_URL}/connect/authorize\`);
address.search = new URLSearchParams({
  response_type: 'code',
  client_id: CLIENT_ID,
  redirect_uri: REDIRECT_URI,
  scope: 'svc_connect',
  state,
  code_challenge: createHash('sha256').update(verifier).digest('base64url'),
  code_challenge_method: 'S256',
}).toString();

const code = await new Promise<string>((resolve, reject) => {
  const server = createServer((request, response) => {
    const back = new URL(request.url ?? '', REDIRECT_URI);
    if (back.pathname !== here.pathname) return response.writeHead(404).end();
    response.writeHead(200, { connection: 'close' }).end('You can close this window.');
    server.close();
    const given = back.searchParams.get('code');
    if (back.searchParams.get('state') !== state) reject(new Error('This sign-in was not begun here.'));
    else if (given === null) reject(new Error(back.searchParams.get('error') ?? 'no code'));
    else resolve(given);
  });
  server.listen(Number(here.port), here.hostname, () => console.log(\`Open in a browser: \${address}\`));
});

const response = await fetch(\`\${AUTH_URL}/connect/token\`, {
  method: 'POST',
  body: new URLSearchParams({
    grant_type: 'authorization_code',
    client_id: CLIENT_ID,
    redirect_uri: REDIRECT_URI,
    code,
    code_verifier: verifier,
  }),
});
if (!response.ok) throw new Error(await response.text());
const { access_token, expires_in } = await response.json();
console.log(JSON.stringify({ access_token, expires_in }));
`,ve=`using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Net.Http;
using System.Net.Http.Headers;
using System.Runtime.Serialization.Json;
using System.Text.RegularExpressions;
using System.Threading.Tasks;

public class Order
{
    public string orderUniqueID { get; set; }
}

static class Sample
{
    static string Setting(string name) => Environment.GetEnvironmentVariable(name);

    static void Main() => ReadChanges().GetAwaiter().GetResult();

    static async Task ReadChanges()
    {
        var http = new HttpClient();
        http.DefaultRequestHeaders.Authorization = new AuthenticationHeaderValue("Bearer", Setting("TOKEN"));
        var json = new DataContractJsonSerializer(typeof(Order[]));
        // Where the last run ended; without it the list is read from its start.
        var cursor = File.Exists("cursor.txt") ? "&cursor=" + Uri.EscapeDataString(File.ReadAllText("cursor.txt")) : "";
        var start = $"{Setting("BASE_URL")}/orders?limit=100";
        var url = start + cursor;
        while (url != null)
        {
            var response = await http.GetAsync(url);
            if ((int)response.StatusCode == 410 && url != start)
            {
                // The cursor is of a time that is gone: drop the copy, and begin anew.
                File.Delete("cursor.txt");
                url = start;
                continue;
            }
            response.EnsureSuccessStatusCode();
            foreach (var order in (Order[])json.ReadObject(await response.Content.ReadAsStreamAsync()))
                Console.WriteLine(order.orderUniqueID);
            // Store the records and the cursor together: what is written after it comes in the next run.
            File.WriteAllText("cursor.txt", response.Headers.GetValues("Sync-Cursor").First());
            var link = response.Headers.TryGetValues("Link", out IEnumerable<string> values)
                ? string.Join(",", values)
                : "";
            var next = Regex.Match(link, "<([^>]+)>;\\\\s*rel=\\"next\\"");
            url = next.Success ? next.Groups[1].Value : null;
        }
    }
}
`,ye=`import json, os, pathlib, re, urllib.error, urllib.parse, urllib.request

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
        link = re.search(r'<([^>]+)>;\\s*rel="next"', response.headers.get("Link") or "")
    url = link.group(1) if link else None
`,be=`# cursor.txt: where the last run ended; without it the list is read from its start.
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
  tr -d '\\r' < headers.txt | sed -n 's/^[Ss]ync-[Cc]ursor: //p' > cursor.txt
  url=$(tr -d '\\r' < headers.txt | sed -n 's/^[Ll]ink:.*<\\([^>]*\\)>; *rel="next".*/\\1/p')
done
`,xe=`import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';

const { BASE_URL, TOKEN } = process.env;

// Where the last run ended; without it the list is read from its start.
const cursor = existsSync('cursor.txt') ? \`&cursor=\${encodeURIComponent(readFileSync('cursor.txt', 'utf8'))}\` : '';
const start = \`\${BASE_URL}/orders?limit=100\`;
let url: string | undefined = start + cursor;
while (url !== undefined) {
  const response: Response = await fetch(url, { headers: { authorization: \`Bearer \${TOKEN}\` } });
  if (response.status === 410 && url !== start) {
    // The cursor is of a time that is gone: drop the copy, and begin anew.
    rmSync('cursor.txt');
    url = start;
    continue;
  }
  if (!response.ok) throw new Error(await response.text());
  for (const order of await response.json()) console.log(order.orderUniqueID);
  // Store the records and the cursor together: what is written after it comes in the next run.
  writeFileSync('cursor.txt', response.headers.get('sync-cursor') ?? '');
  url = /<([^>]+)>;\\s*rel="next"/.exec(response.headers.get('link') ?? '')?.[1];
}
`,Se=`using System;
using System.Collections.Generic;
using System.Net.Http;
using System.Net.Http.Headers;
using System.Text;
using System.Threading.Tasks;

static class Sample
{
    static string Setting(string name) => Environment.GetEnvironmentVariable(name);

    static void Main() => GetToken().GetAwaiter().GetResult();

    static async Task GetToken()
    {
        var http = new HttpClient();
        var secret = Encoding.UTF8.GetBytes($"{Setting("CLIENT_ID")}:{Setting("CLIENT_SECRET")}");
        http.DefaultRequestHeaders.Authorization =
            new AuthenticationHeaderValue("Basic", Convert.ToBase64String(secret));
        var form = new FormUrlEncodedContent(new Dictionary<string, string>
        {
            ["grant_type"] = "client_credentials",
            ["scope"] = "svc_connect",
        });
        var response = await http.PostAsync($"{Setting("AUTH_URL")}/connect/token", form);
        response.EnsureSuccessStatusCode();
        Console.WriteLine(await response.Content.ReadAsStringAsync());
    }
}
`,Ce=`import base64, json, os, urllib.parse, urllib.request

secret = f"{os.environ['CLIENT_ID']}:{os.environ['CLIENT_SECRET']}".encode()
request = urllib.request.Request(
    os.environ["AUTH_URL"] + "/connect/token",
    data=urllib.parse.urlencode({"grant_type": "client_credentials", "scope": "svc_connect"}).encode(),
    headers={"Authorization": "Basic " + base64.b64encode(secret).decode()},
)
with urllib.request.urlopen(request) as response:
    token = json.load(response)
print(json.dumps({"access_token": token["access_token"], "expires_in": token["expires_in"]}))
`,we=`curl -sS --fail-with-body -u "$CLIENT_ID:$CLIENT_SECRET" \\
  -d grant_type=client_credentials -d scope=svc_connect \\
  "$AUTH_URL/connect/token"
`,Te=`const { AUTH_URL, CLIENT_ID, CLIENT_SECRET } = process.env;

const response = await fetch(\`\${AUTH_URL}/connect/token\`, {
  method: 'POST',
  headers: { authorization: \`Basic \${btoa(\`\${CLIENT_ID}:\${CLIENT_SECRET}\`)}\` },
  body: new URLSearchParams({ grant_type: 'client_credentials', scope: 'svc_connect' }),
});
if (!response.ok) throw new Error(await response.text());
const { access_token, expires_in } = await response.json();
console.log(JSON.stringify({ access_token, expires_in }));
`,Ee=[`curl`,`TypeScript`,`Python`,`C#`],De={token:{curl:we,TypeScript:Te,Python:Ce,"C#":Se},page:{curl:Y,TypeScript:X,Python:J,"C#":q},sync:{curl:be,TypeScript:xe,Python:ye,"C#":ve},retry:{curl:ue,TypeScript:de,Python:le,"C#":Z},ship:{curl:me,TypeScript:he,Python:pe,"C#":fe}},Oe={TypeScript:_e,Python:ge},Q={en:{tokenText:`A program that acts for itself asks the authorization server with its id and secret. The token lasts an hour at most (expires_in says how long): ask again before it ends, not before each request.`,person:`A person signs in`,personText:`A program that a person uses has no secret: it opens the authorization server in a browser, waits for the code at its own address, which the operator has registered with the client, and exchanges it (authorization code flow with PKCE). Nobody who sees the code can use it without the verifier.`,pageText:`An answer has at most 100 records. The header Link names the next page; where there is none, that was the last. Follow it as it is: the address has all parameters.`,syncText:`Every answer without sort says in Sync-Cursor where it ended. Store it with the records, and give it as cursor the next time: you get what was written since, each record in its newest state. After 410 drop the copy and begin anew.`,retryText:`After 429 and 503 wait as Retry-After says. Reads may be tried again after 500, 502 and 504 too. A write has an Idempotency-Key: the same request with the same key is done once.`,shipText:`The context is an account at a carrier: the page “Ship” lists yours, GET /shippings/accounts too. dryRun=true checks a request without making a parcel. Keep the key with the order.`,settings:`Set these first, in your shell:`,yourToken:`TOKEN is the one of your own sign-in: it ends with it.`,withToken:`Fill in my token`,withoutToken:`Hide my token`,copy:`Copy`,copied:`Copied`,sample:`Sample in {language}`,language:`Language of the sample`,typed:`For TypeScript there is a typed client without dependencies in packages/client, which does all of this.`},fr:{tokenText:`Un programme qui agit pour lui-même s’adresse au serveur d’autorisation avec son identifiant et son secret. Le jeton dure une heure au plus (expires_in le dit) : redemandez-le avant sa fin, pas avant chaque requête.`,person:`Une personne se connecte`,personText:`Un programme utilisé par une personne n’a pas de secret : il ouvre le serveur d’autorisation dans un navigateur, attend le code à sa propre adresse, que l’opérateur a enregistrée pour le client, et l’échange (flux de code d’autorisation avec PKCE). Qui voit le code ne peut rien en faire sans le vérificateur.`,pageText:`Une réponse a 100 enregistrements au plus. L’en-tête Link nomme la page suivante ; s’il n’y en a pas, c’était la dernière. Suivez l’adresse telle quelle : elle a tous les paramètres.`,syncText:`Toute réponse sans sort dit dans Sync-Cursor où elle s’arrête. Conservez-le avec les enregistrements et donnez-le comme cursor la fois suivante : vous recevez ce qui a été écrit depuis, chaque enregistrement dans son dernier état. Après 410, abandonnez la copie et recommencez.`,retryText:`Après 429 et 503, attendez ce que dit Retry-After. Les lectures se répètent aussi après 500, 502 et 504. Une écriture porte une Idempotency-Key : la même requête avec la même clé n’est exécutée qu’une fois.`,shipText:`Le contexte est un compte chez un transporteur : la page « Expédier » liste les vôtres, GET /shippings/accounts aussi. dryRun=true vérifie une requête sans créer de colis. Gardez la clé avec la commande.`,settings:`Définissez d’abord, dans votre shell :`,yourToken:`TOKEN est celui de votre propre connexion : il finit avec elle.`,withToken:`Remplir avec mon jeton`,withoutToken:`Masquer mon jeton`,copy:`Copier`,copied:`Copié`,sample:`Exemple en {language}`,language:`Langage de l’exemple`,typed:`Pour TypeScript, packages/client contient un client typé sans dépendances, qui fait tout cela.`}};function ke({parts:e}){let{say:t}=_(),[n=`token`]=e;return A(n)?(0,V.jsx)(Ae,{task:n},n):(0,V.jsx)(u,{icon:`empty`,title:t(`notFound`),isPage:!0})}function Ae({task:e}){let t=g(Q),[n,r]=O({key:`console-sample-language`,defaultValue:`curl`}),{say:i}=_(),a=De[e][n]??De[e].curl;return(0,V.jsxs)(b,{gap:`lg`,maw:900,children:[(0,V.jsx)(S,{order:1,size:`h2`,children:i(k[e])}),(0,V.jsx)(l,{children:t(`${e}Text`)}),(0,V.jsx)(Me,{task:e}),(0,V.jsx)(K,{"aria-label":t(`language`),data:[...Ee],value:n,onChange:e=>r(Ee.find(t=>t===e)??`curl`)}),(0,V.jsx)($,{text:a,label:t(`sample`,{language:n})}),e===`token`&&(0,V.jsx)(je,{language:n}),n===`TypeScript`&&(0,V.jsx)(l,{c:`dimmed`,children:t(`typed`)})]})}function je({language:e}){let t=g(Q),{authUrl:n}=C(),r=Oe[e]===void 0?`TypeScript`:e,i=[`export AUTH_URL='${n}'`,`export CLIENT_ID='…'`,`export REDIRECT_URI='http://127.0.0.1:8123/callback'`],a=`${t(`person`)}: ${t(`sample`,{language:r})}`;return(0,V.jsxs)(b,{gap:`md`,component:`section`,"aria-label":t(`person`),children:[(0,V.jsx)(S,{order:2,size:`h4`,children:t(`person`)}),(0,V.jsx)(l,{children:t(`personText`)}),(0,V.jsx)($,{text:i.join(`
`),label:`${t(`person`)}: ${t(`settings`)}`}),(0,V.jsx)(l,{size:`sm`,children:t(`sample`,{language:r})}),(0,V.jsx)($,{text:Oe[r]??``,label:a})]})}function Me({task:e}){let t=g(Q),{baseUrl:n,authUrl:r}=C(),[i,a]=(0,M.useState)(!1),o=i?te()??`…`:`…`,s=e===`token`?[`export AUTH_URL='${r}'`,`export CLIENT_ID='…'`,`export CLIENT_SECRET='…'`]:[`export BASE_URL='${n}'`,`export TOKEN='${o}'`,...e===`ship`?[`export CONTEXT='acm' CARRIER='sandbox'`,`export LABEL_KEY="$(uuidgen)"`]:[]];return(0,V.jsxs)(b,{gap:`xs`,children:[(0,V.jsx)(l,{size:`sm`,children:t(`settings`)}),(0,V.jsx)($,{text:s.join(`
`),label:t(`settings`)}),e!==`token`&&(0,V.jsxs)(x,{children:[(0,V.jsx)(y,{variant:`light`,onClick:()=>a(!i),children:t(i?`withoutToken`:`withToken`)}),i&&(0,V.jsx)(l,{size:`sm`,c:`dimmed`,role:`status`,children:t(`yourToken`)})]})]})}function $({text:e,label:t}){let n=g(Q),r=D();return(0,V.jsxs)(`div`,{className:`sample`,children:[(0,V.jsx)(`section`,{"aria-label":t,children:(0,V.jsx)(`pre`,{className:`raw`,tabIndex:0,children:e})}),(0,V.jsx)(y,{variant:`default`,leftSection:(0,V.jsx)(f,{name:`copy`}),onClick:()=>r.copy(e),children:n(r.copied?`copied`:`copy`)})]})}export{ke as DeveloperPages};