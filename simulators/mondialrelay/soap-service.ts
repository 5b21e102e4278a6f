// Version 1 as the simulator speaks it: SOAP over ASP.NET, status 200 whatever STAT says.
import type { SimulatorAnswer, SimulatorRequest } from '../server.ts';
import { samplePdf } from '../sample-label.ts';
import { xmlChild, type XmlElement } from '../../src/carriers/xml/element.ts';
import { parseXml } from '../../src/carriers/xml/read.ts';
import { xml, type XmlPart, xmlText } from '../../src/carriers/xml/write.ts';
import { latinMd5, type Parcels, simulatorAccount } from './parcels.ts';
import { relayParameters, relaysNear } from './relays.ts';
import { creationParameterRules, creationRefusal, isPrintable } from './soap-checks.ts';
import { tracingRows } from './tracing-rows.ts';

const namespace = 'http://www.mondialrelay.fr/webservice/';

type Sent = Readonly<Record<string, string>>;

/** Operation → its parameters in order. Texte alone is not signed. */
const operations: Readonly<Record<string, readonly string[]>> = {
  WSI2_CreationEtiquette: creationParameterRules.map(({ name }) => name),
  WSI3_GetEtiquettes: ['Enseigne', 'Expeditions', 'Langue', 'Security'],
  WSI2_TracingColisDetaille: ['Enseigne', 'Expedition', 'Langue', 'Security'],
  WSI4_PointRelais_Recherche: relayParameters,
};

/** Answers a call of any operation. */
export function soapService(request: SimulatorRequest, parcels: Parcels): SimulatorAnswer {
  const operation = (request.headers.soapaction ?? '').replaceAll('"', '').replace(namespace, '');
  const names = Object.hasOwn(operations, operation) ? operations[operation] : undefined;
  if (!/^(text|application)\/(soap\+)?xml\b/.test(request.headers['content-type'] ?? ''))
    return { status: 415, body: '' };
  if (names === undefined) return fault('soap:Client', 'Server did not recognize the value of HTTP Header SOAPAction.');
  const body = bodyOf(request.body);
  if (body === null)
    return fault('soap:Client', 'Server was unable to read request. ---> There is an error in XML document.');
  const sent = parametersOf(xmlChild(body, operation), names);
  const result = accountRefusal(sent, names) ?? answerTo(operation, sent, parcels);
  return {
    status: 200,
    headers: xmlHeaders,
    body: enveloped(xml(`${operation}Response`, [xml(`${operation}Result`, result)], { xmlns: namespace })),
  };
}

/** The PDF behind a link of version 1. */
export function stickerPdf({ query }: SimulatorRequest, parcels: Parcels): SimulatorAnswer {
  const number = query.get('expedition') ?? '';
  const parcel = parcels.find(number);
  const { enseigne, brandCode, privateKey } = simulatorAccount;
  const isRight =
    query.get('ens') === `${enseigne}${brandCode}` &&
    query.get('crc') === latinMd5(`<${enseigne}${brandCode}>${number}<${privateKey}>`);
  const format = query.get('format') ?? '';
  if (!isRight || parcel === null || !['A4', 'A5', '10x15'].includes(format) || parcel.sent.NDossier === 'NOPDF')
    return {
      status: 404,
      headers: { 'Content-Type': 'text/html' },
      body: '<html><body>Fichier introuvable</body></html>',
    };
  return {
    status: 200,
    headers: { 'Content-Type': 'application/pdf' },
    body: samplePdf(['SIMULATOR, NOT A LABEL', number, format, parcel.sent.Dest_Ad1 ?? '']),
  };
}

const xmlHeaders = { 'Content-Type': 'text/xml; charset=utf-8' };

function bodyOf(bytes: Buffer): XmlElement | null {
  try {
    return xmlChild(parseXml(bytes), 'Body');
  } catch {
    return null;
  }
}

/** Reads a sequence as the .NET serializer does: ignores elements of another namespace or not at their place. */
function parametersOf(element: XmlElement | null, names: readonly string[]): Sent {
  let last = -1;
  return Object.fromEntries(
    (element?.namespace === namespace ? element.children : []).flatMap(({ name, namespace: own, text }) => {
      const place = names.indexOf(name);
      if (own !== namespace || place <= last) return [];
      last = place;
      return [[name, text] as const];
    }),
  );
}

/** Only the merchant is checked before the key, everything else after it. */
function accountRefusal(sent: Sent, names: readonly string[]): readonly XmlPart[] | null {
  const { Enseigne = '', Security = '' } = sent;
  if (!/^[0-9A-Z]{2}[0-9A-Z ]{6}$/.test(Enseigne)) return [xml('STAT', '1')];
  if (Enseigne !== simulatorAccount.enseigne) return [xml('STAT', '2')];
  const signed = names
    .filter((name) => name !== 'Security' && name !== 'Texte')
    .map((name) => sent[name] ?? '')
    .join('');
  return Security === latinMd5(signed + simulatorAccount.privateKey) ? null : [xml('STAT', '97')];
}

function answerTo(operation: string, sent: Sent, parcels: Parcels): readonly XmlPart[] {
  if (operation === 'WSI2_CreationEtiquette') return creation(sent, parcels);
  if (operation === 'WSI4_PointRelais_Recherche') return relaysNear(sent);
  return operation === 'WSI3_GetEtiquettes' ? labels(sent, parcels) : tracing(sent, parcels);
}

function creation(sent: Sent, parcels: Parcels): readonly XmlPart[] {
  const refusal = creationRefusal(sent);
  if (refusal !== null) return [xml('STAT', refusal)];
  const { number } = parcels.make('1', sent);
  const isLinkless = sent.NDossier === 'NOLINK';
  return [
    xml('STAT', isPrintable(sent) ? '0' : '60'),
    xml('ExpeditionNum', number),
    xml('URL_Etiquette', isLinkless ? '' : link(number, sent.Expe_Langage ?? '', 'A4')),
  ];
}

function labels({ Expeditions = '', Langue = '' }: Sent, parcels: Parcels): readonly XmlPart[] {
  const isThere =
    /^[0-9]{8}(;[0-9]{8})*$/.test(Expeditions) &&
    Expeditions.split(';').every((number) => parcels.find(number) !== null);
  return [
    xml('STAT', isThere ? '0' : '24'),
    ...['A4', 'A5', '10x15'].map((format) =>
      xml(`URL_PDF_${format}`, isThere ? link(Expeditions, Langue, format) : ''),
    ),
  ];
}

function tracing({ Expedition = '' }: Sent, parcels: Parcels): readonly XmlPart[] {
  const found = parcels.state(Expedition);
  const stat = !/^[0-9]{8}$/.test(Expedition) ? '24' : found === null ? '94' : found.state;
  const {
    wording = '',
    relay = '',
    relayNumber = '',
    rows = null,
  } = found === null ? {} : tracingRows(found.state, found.since);
  const head = [
    xml('STAT', stat),
    xml('Libelle01', wording),
    xml('Relais_Libelle', relay),
    xml('Relais_Num', relayNumber),
    xml('Libelle02'),
  ];
  if (rows === null) return head;
  const names = ['Libelle', 'Date', 'Heure', 'Emplacement', 'Relais_Num', 'Relais_Pays'];
  return [
    ...head,
    xml(
      'Tracing',
      rows.map((row) =>
        xml(
          'ret_WSI2_sub_TracingColisDetaille',
          names.map((name, index) => xml(name, row[index] ?? '')),
        ),
      ),
    ),
  ];
}

/** Without its host, as the carrier gives it. */
function link(number: string, language: string, format: string): string {
  const { enseigne, brandCode, privateKey } = simulatorAccount;
  const sender = `${enseigne}${brandCode}`;
  const crc = latinMd5(`<${sender}>${number}<${privateKey}>`);
  const query = new URLSearchParams({ ens: sender, expedition: number, lg: language, format, crc });
  return `/ww2/PDF/StickerMaker2.aspx?${query}`;
}

function enveloped(content: XmlPart): string {
  return xmlText(
    xml('soap:Envelope', [xml('soap:Body', [content])], {
      'xmlns:soap': 'http://schemas.xmlsoap.org/soap/envelope/',
      'xmlns:xsi': 'http://www.w3.org/2001/XMLSchema-instance',
      'xmlns:xsd': 'http://www.w3.org/2001/XMLSchema',
    }),
  );
}

function fault(code: string, message: string): SimulatorAnswer {
  return {
    status: 500,
    headers: xmlHeaders,
    body: enveloped(xml('soap:Fault', [xml('faultcode', code), xml('faultstring', message)])),
  };
}
