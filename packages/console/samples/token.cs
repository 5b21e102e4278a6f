using System;
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
