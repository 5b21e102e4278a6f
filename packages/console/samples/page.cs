using System.Net.Http.Headers;
using System.Text.Json;
using System.Text.RegularExpressions;

string Setting(string name) => Environment.GetEnvironmentVariable(name)!;

using var http = new HttpClient();
http.DefaultRequestHeaders.Authorization = new AuthenticationHeaderValue("Bearer", Setting("TOKEN"));
string? url = $"{Setting("BASE_URL")}/orders?limit=100";
while (url is not null)
{
    var response = await http.GetAsync(url);
    response.EnsureSuccessStatusCode();
    using var page = JsonDocument.Parse(await response.Content.ReadAsStringAsync());
    foreach (var order in page.RootElement.EnumerateArray())
        Console.WriteLine(order.GetProperty("orderUniqueID").GetString());
    // The address of the next page; none on the last one.
    var link = response.Headers.TryGetValues("Link", out var values) ? string.Join(",", values) : "";
    var next = Regex.Match(link, "<([^>]+)>;\\s*rel=\"next\"");
    url = next.Success ? next.Groups[1].Value : null;
}
