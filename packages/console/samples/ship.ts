const { BASE_URL, TOKEN, CONTEXT, CARRIER, LABEL_KEY } = process.env;

const response = await fetch(`${BASE_URL}/shippings/labels/${CONTEXT}/${CARRIER}`, {
  method: 'POST',
  headers: {
    authorization: `Bearer ${TOKEN}`,
    'content-type': 'application/json',
    // The same key never makes a second parcel: keep it with the order.
    'idempotency-key': `"${LABEL_KEY}"`,
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
