using System;
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
            var next = Regex.Match(link, "<([^>]+)>;\\s*rel=\"next\"");
            url = next.Success ? next.Groups[1].Value : null;
        }
    }
}
