using System;
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
            var next = Regex.Match(link, "<([^>]+)>;\\s*rel=\"next\"");
            url = next.Success ? next.Groups[1].Value : null;
        }
    }
}
