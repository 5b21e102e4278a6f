using System;
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
        http.DefaultRequestHeaders.Add("Idempotency-Key", $"\"{Setting("LABEL_KEY")}\"");
        var address = $"{Setting("BASE_URL")}/shippings/labels/{Setting("CONTEXT")}/{Setting("CARRIER")}";
        var body = new StringContent(label, Encoding.UTF8, "application/json");
        var response = await http.PostAsync(address, body);
        response.EnsureSuccessStatusCode();
        Console.WriteLine(await response.Content.ReadAsStringAsync());
    }
}
