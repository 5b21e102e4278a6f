// The range of Maison Belloc, a house of spirits: every bottle has a bottling lot and alcohol data, some are returnable
// against a deposit.
import { createRandom } from '../random.ts';
import { type Alcohol, type Item, popularityOf, rotationOf, type Supplier } from '../catalogue.ts';

const SUPPLIERS: readonly (Supplier & { readonly country: string })[] = [
  { code: 'BELLOC', name: 'Distillerie Belloc', country: 'FR' },
  { code: 'GLENCARN', name: 'Glencarn Distillers Ltd', country: 'GB' },
  { code: 'HABITATION', name: 'Habitation Morne-Vert', country: 'FR' },
  { code: 'CHARENTE', name: 'Maison de la Charente', country: 'FR' },
  { code: 'VERGERS', name: "Les Vergers d'Auge", country: 'FR' },
  { code: 'KORNHAUS', name: 'Kornhaus Brennerei GmbH', country: 'DE' },
  { code: 'AMARIA', name: 'Amaria Liquori S.r.l.', country: 'IT' },
  { code: 'MEZCALERA', name: 'Mezcalera del Sol', country: 'MX' },
  { code: 'PORTELA', name: 'Portela & Filhos Lda', country: 'PT' },
];

/**
 * One model per line: supplier's index in the list; sub-family; name; price of 70 cl in cents; degree; code of the
 * excise authority; taxation; customs code; kinds; bottle sizes in centilitres; marks (d deposit, c cream: it has a
 * sale deadline).
 */
const MODELS = `
0;GIN;Gin de Belloc;2690;43;ALC;SPIRIT;22085011;London Dry,Garrigue,Agrumes,Barrel;20,50,70;d
0;VODKA;Vodka de blé;2290;40;ALC;SPIRIT;22086011;Nature,Poivre,Citron;50,70,150;d
0;ANISEED;Pastis artisanal;1990;45;ALC;SPIRIT;22087010;Classique,Verveine;35,70,100;d
0;LIQUEUR;Liqueur de Belloc;2190;24;ALC;SPIRIT;22087010;Génépi,Verveine,Gentiane,Châtaigne;35,50,70;
0;APERITIF;Vermouth de Belloc;1490;17;PI;INTERMEDIATE;22051010;Rouge,Blanc,Dry;37.5,75;d
0;BITTER;Bitter des Alpilles;1790;20;ALC;SPIRIT;22087010;Orange amère,Gentiane;50,70;d
0;EAU-DE-VIE;Marc de Belloc;3290;45;ALC;SPIRIT;22082029;Jeune,Vieux;35,50,70;
1;WHISKY;Glencarn single malt;4590;46;ALC;SPIRIT;22083030;8 ans,12 ans,16 ans,Peated;20,70;
1;WHISKY;Glencarn blended;2390;40;ALC;SPIRIT;22083071;Original,Smoky,Sherry;35,70,100;
1;WHISKY;Carn cask strength;6890;58.4;ALC;SPIRIT;22083030;Batch 11,Batch 12;70;
1;GIN;Carn botanical gin;2890;41.5;ALC;SPIRIT;22085011;Heather,Seaweed;50,70;
2;RUM;Morne-Vert agricole;2290;50;RHD;RUM;22084031;Blanc,Ambré,Paille;50,70,100;
2;RUM;Morne-Vert vieux;5490;45;RHD;RUM;22084031;3 ans,6 ans,XO;20,70;
2;PUNCH;Punch coco;1590;18;ALC;SPIRIT;22087010;Coco,Passion,Vanille;20,70;c
2;RUM;Rhum arrangé;2690;32;ALC;SPIRIT;22084031;Ananas,Mangue,Café,Gingembre;35,70;
3;COGNAC;Cognac de la Charente;3990;40;ALC;SPIRIT;22082012;VS,VSOP,XO;20,35,70;
3;COGNAC;Cognac millésime;12900;42;ALC;SPIRIT;22082012;2002,2006,2010;70;
3;APERITIF;Pineau des Charentes;1690;17;PI;INTERMEDIATE;22042189;Blanc,Rouge,Rosé;37.5,75;
4;CALVADOS;Calvados du Pays d'Auge;3590;40;ALC;SPIRIT;22082026;Fine,Réserve,XO;20,35,70;
4;EAU-DE-VIE;Eau-de-vie de poire;3190;43;ALC;SPIRIT;22082029;Williams,Poire captive;35,50,70;
4;APERITIF;Pommeau de Normandie;1590;17;PI;INTERMEDIATE;22060059;Classique,Vieux;37.5,75;d
4;CIDER;Cidre du pays d'Auge;590;4.5;CID;FERMENTED;22060051;Brut,Doux,Demi-sec;33,75;d
5;GRAIN;Kornbrand;1590;38;ALC;SPIRIT;22089048;Mild,Eichenfass;50,70;d
5;EAU-DE-VIE;Obstbrand;2490;42;ALC;SPIRIT;22089048;Zwetschge,Mirabelle,Kirsch,Himbeer;35,50,70;
5;LIQUEUR;Kräuterlikör;1690;35;ALC;SPIRIT;22087010;Original,Bitter;20,50,70;d
5;BEER;Kornhaus Bier;250;5.2;BIE;BEER;22030001;Helles,Dunkel,Weißbier;33,50;d
6;LIQUEUR;Limoncello;1690;28;ALC;SPIRIT;22087010;Classico,Crema;20,50,70;c
6;LIQUEUR;Amaretto di Amaria;1890;26;ALC;SPIRIT;22087010;Classico,Riserva;50,70;
6;BITTER;Amaro delle erbe;1990;29;ALC;SPIRIT;22087010;Classico,Rabarbaro,Carciofo;50,70,100;
6;GRAPPA;Grappa di Amaria;2590;40;ALC;SPIRIT;22082040;Bianca,Barricata,Moscato;20,50,70;
7;TEQUILA;Tequila del Sol;3190;38;ALC;SPIRIT;22089054;Blanco,Reposado,Añejo;20,70;
7;MEZCAL;Mezcal artesanal;4490;45;ALC;SPIRIT;22089054;Espadín,Tobalá,Ensamble;20,70;
8;PORT;Portela Porto;1890;20;VDL;INTERMEDIATE;22042189;Ruby,Tawny,White,Colheita 2012;37.5,75;
8;BRANDY;Aguardente velha;2890;40;ALC;SPIRIT;22082066;Velha,Velhíssima;50,70;
`;

/** All articles of Maison Belloc. */
export function maisonBellocItems(): readonly Item[] {
  const random = createRandom('BEL/catalogue');
  const bottles = MODELS.trim()
    .split('\n')
    .flatMap((line, index) => bottlesOf(line, `S${String(index + 1).padStart(2, '0')}`));
  const ranked = bottles.map((bottle, index): Item => {
    const rotation = rotationOf(random.next());
    return {
      ...bottle,
      number: index + 1,
      rotation,
      // Shops order many lines of few articles, so the best sellers would not stand out otherwise.
      popularity: popularityOf(rotation) * (rotation === 'A' ? 2 : 1),
      discontinued: random.chance(0.02),
    };
  });
  return [...ranked, ...empties(ranked.length)];
}

type Unranked = Omit<Item, 'number' | 'rotation' | 'popularity' | 'discontinued'>;

function bottlesOf(line: string, model: string): readonly Unranked[] {
  const [
    from = '',
    subFamily = '',
    name = '',
    price = '',
    degree = '',
    regie = '',
    taxation = '',
    customs = '',
    kinds = '',
    sizes = '',
    marks = '',
  ] = line.split(';');
  const supplier = SUPPLIERS[Number(from)];
  if (supplier === undefined) throw new RangeError(`There is no supplier ${from}.`);
  return kinds.split(',').flatMap((kind, rank) =>
    sizes.split(',').map((size): Unranked => {
      const litres = Number(size) / 100;
      const wide = Math.round(80 * Math.cbrt(litres / 0.7));
      const alcohol: Alcohol = { degree: Number(degree), litres, type: subFamily, taxation, regie };
      return {
        reference: `${model}-${rank + 1}${codeOf(kind)}-${size.replace('.', '')}`,
        kind: 'goods',
        long: `${name} ${kind}, ${size} cl`,
        short: `${name.slice(0, 28 - kind.length - size.length).trimEnd()} ${kind} ${size}`,
        family: 'ALCOHOL',
        subFamily,
        brand: supplier.name.slice(0, 20).trimEnd(),
        model,
        modelName: name,
        colour: null,
        size: `${size} cl`,
        supplier: { code: supplier.code, name: supplier.name },
        price: Math.round(Number(price) * (litres / 0.7) ** 0.85),
        vat: 20,
        weight: Math.round(litres * 950 + 560 * Math.cbrt(litres / 0.7)),
        length: wide,
        width: wide,
        height: Math.round(wide * 3.7),
        spcb: litres <= 0.2 ? 6 : 1,
        pcb: litres <= 0.2 ? 24 : litres < 0.5 ? 12 : 6,
        fragile: true,
        serialized: Number(price) > 10_000,
        lots: true,
        shelfLife: marks.includes('c') ? 730 : regie === 'BIE' || regie === 'CID' ? 400 : null,
        alcohol,
        deposit: marks.includes('d') ? (litres > 0.35 ? 30 : 15) : null,
        origin: supplier.country,
        customs,
      };
    }),
  );
}

/** Bottles returned for their deposit: nobody orders them. */
function empties(start: number): readonly Item[] {
  return ['small', 'large'].map((name, rank) => ({
    reference: `EMPTY-${name.toUpperCase()}`,
    number: start + rank + 1,
    kind: 'empty' as const,
    long: `Empty bottle, ${name}, returned for its deposit`,
    short: `Empty bottle, ${name}`,
    family: 'EMPTIES',
    subFamily: 'BOTTLE',
    brand: 'Maison Belloc',
    model: 'EMPTY',
    modelName: 'Empty bottle',
    colour: null,
    size: null,
    supplier: { code: 'BELLOC', name: 'Distillerie Belloc' },
    price: [15, 30][rank] ?? 0,
    vat: 20,
    weight: [290, 520][rank] ?? 0,
    length: 78,
    width: 78,
    height: 290,
    spcb: 1,
    pcb: 12,
    fragile: true,
    serialized: false,
    lots: false,
    shelfLife: null,
    alcohol: null,
    deposit: [15, 30][rank] ?? null,
    origin: 'FR',
    customs: '70109041',
    discontinued: false,
    popularity: 0,
    rotation: 'C' as const,
  }));
}

/** Up to four capital letters or digits of a name. */
function codeOf(name: string): string {
  return name
    .normalize('NFD')
    .replaceAll(/[^A-Za-z0-9]/g, '')
    .slice(0, 4)
    .toUpperCase();
}
