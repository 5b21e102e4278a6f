using System.Net.Http.Headers;
using System.Text;

string Setting(string name) => Environment.GetEnvironmentVariable(name)!;

using var http = new HttpClient();
var secret = Encoding.UTF8.GetBytes($"{Setting("CLIENT_ID")}:{Setting("CLIENT_SECRET")}");
http.DefaultRequestHeaders.Authorization = new AuthenticationHeaderValue("Basic", Convert.ToBase64String(secret));
var form = new FormUrlEncodedContent(new Dictionary<string, string>
{
    ["grant_type"] = "client_credentials",
    ["scope"] = "svc_connect",
});
var response = await http.PostAsync($"{Setting("AUTH_URL")}/connect/token", form);
response.EnsureSuccessStatusCode();
Console.WriteLine(await response.Content.ReadAsStringAsync());
