using System.Net.Http.Headers;
using System.Text.Json;
using System.Text.RegularExpressions;

string Setting(string name) => Environment.GetEnvironmentVariable(name)!;

using var http = new HttpClient();
http.DefaultRequestHeaders.Authorization = new AuthenticationHeaderValue("Bearer", Setting("TOKEN"));
// Where the last run ended; without it the list is read from its start.
var cursor = File.Exists("cursor.txt") ? "&cursor=" + Uri.EscapeDataString(File.ReadAllText("cursor.txt")) : "";
string? url = $"{Setting("BASE_URL")}/orders?limit=100{cursor}";
while (url is not null)
{
    var response = await http.GetAsync(url);
    response.EnsureSuccessStatusCode();
    using var page = JsonDocument.Parse(await response.Content.ReadAsStringAsync());
    foreach (var order in page.RootElement.EnumerateArray())
        Console.WriteLine(order.GetProperty("orderUniqueID").GetString());
    // Store the records and the cursor together: what is written after it comes in the next run.
    File.WriteAllText("cursor.txt", response.Headers.GetValues("Sync-Cursor").First());
    var link = response.Headers.TryGetValues("Link", out var values) ? string.Join(",", values) : "";
    var next = Regex.Match(link, "<([^>]+)>;\\s*rel=\"next\"");
    url = next.Success ? next.Groups[1].Value : null;
}
