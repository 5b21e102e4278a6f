using System.Net.Http.Headers;

string Setting(string name) => Environment.GetEnvironmentVariable(name)!;

using var http = new HttpClient();
http.DefaultRequestHeaders.Authorization = new AuthenticationHeaderValue("Bearer", Setting("TOKEN"));
for (var attempt = 1; ; attempt++)
{
    var response = await http.GetAsync($"{Setting("BASE_URL")}/articles?limit=1");
    if (response.IsSuccessStatusCode)
    {
        Console.WriteLine(await response.Content.ReadAsStringAsync());
        break;
    }
    var mayPass = (int)response.StatusCode is 429 or 500 or 502 or 503 or 504;
    if (!mayPass || attempt == 5) throw new Exception(await response.Content.ReadAsStringAsync());
    await Task.Delay(response.Headers.RetryAfter?.Delta ?? TimeSpan.FromSeconds(Math.Pow(2, attempt)));
}
