using System;
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
