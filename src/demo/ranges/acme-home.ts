// The range of Acme Home, a shop for home, gifts and pantry: models in colours, sizes and collections, kits, packaging
// and services.
import { createRandom } from '../random.ts';
import { type Item, popularityOf, rotationOf, type Supplier } from '../catalogue.ts';
import { pantryItems } from './acme-pantry.ts';

const SUPPLIERS: readonly Supplier[] = [
  { code: 'LINOVA', name: 'Linova Tessuti S.r.l.' },
  { code: 'CIREBELLE', name: 'Cire Belle SAS' },
  { code: 'GRESDUSUD', name: 'Grès du Sud' },
  { code: 'HOLZWERK', name: 'Holzwerk Böhm GmbH' },
  { code: 'LUXPORTO', name: 'Lux Porto Lda' },
  { code: 'PAPELERIA', name: 'Papelería Muñoz S.L.' },
];

/**
 * One model per line: family; sub-family; name; supplier's index in the list; price in cents; weight in grams; length x
 * width x height in millimetres; inner pack; carton; marks (f fragile, s serial numbers); variants, colours or sizes.
 */
const MODELS = `
TEXTILE;CUSHION;Linen cushion cover 45x45;0;1650;260;300x220x25;4;24;;White|Sand|Sage|Terracotta|Navy|Mustard
TEXTILE;CUSHION;Velvet cushion 30x50;0;2080;640;320x300x120;2;8;;Emerald|Plum|Ochre|Petrol|Blush
TEXTILE;THROW;Washed cotton throw 130x170;0;3750;980;350x280x90;2;8;;White|Sand|Grey|Rust|Olive
TEXTILE;THROW;Merino blanket 140x200;0;7900;1250;380x300x110;1;6;;Ecru|Charcoal|Forest|Camel
TEXTILE;BATH;Waffle towel 70x140;0;1490;420;280x200x60;3;18;;White|Sand|Sage|Slate|Rose
TEXTILE;BATH;Bath mat 50x80;0;1990;780;400x260x40;2;12;;White|Grey|Sage|Navy
TEXTILE;TABLE LINEN;Table runner 40x150;0;1590;210;260x180x20;4;24;;Natural|Sage|Berry|Indigo
TEXTILE;TABLE LINEN;Linen napkins, set of 4;0;1990;240;220x220x30;4;24;;Natural|Rust|Navy|Olive
TEXTILE;KITCHEN;Chef's apron;0;1790;310;280x220x30;3;18;;Black|Denim|Striped|Terracotta
TEXTILE;KITCHEN;Tea towels, pair;0;990;180;240x180x20;6;36;;Café|Herbier|Rayé|Lemon
CANDLE;SCENTED;Scented candle 180 g;1;1580;420;90x90x105;3;12;f;Fig|Cedar|Cassis|Neroli|Thé blanc|Amber
CANDLE;SCENTED;Soy candle in tin 120 g;1;990;190;75x75x55;6;36;;Mint|Honey|Rose|Bergamot|Lavender
CANDLE;TAPER;Taper candles, box of 6;1;840;380;260x140x30;4;24;;Ivory|Brick|Teal|Black|Lilac
CANDLE;TEA LIGHT;Tea lights, box of 24;1;620;330;200x130x25;5;40;;Plain|Vanilla|Citronella
CANDLE;LAMP OIL;Lamp oil 1 l;1;890;930;85x85x260;1;12;;Clear|Citronella
CANDLE;HOLDER;Brass candle holder;4;1290;310;90x90x110;2;16;;Small|Medium|Tall
CANDLE;LANTERN;Metal lantern;4;2490;1380;180x180x330;1;4;;Black|White|Verdigris
TABLEWARE;MUG;Stoneware mug 35 cl;2;990;390;125x95x100;6;24;f;Cream|Moss|Night|Clay|Speckled|Blush
TABLEWARE;MUG;Espresso cups, set of 2;2;1290;310;150x80x75;4;24;f;Cream|Moss|Night|Clay
TABLEWARE;PLATE;Dinner plate 27 cm;2;1390;760;275x275x30;4;16;f;Cream|Moss|Night|Clay|Speckled
TABLEWARE;PLATE;Dessert plate 20 cm;2;990;430;205x205x25;4;24;f;Cream|Moss|Night|Clay
TABLEWARE;BOWL;Soup bowl 60 cl;2;1190;520;165x165x70;4;16;f;Cream|Moss|Night|Clay
TABLEWARE;SERVING;Oval serving dish 38 cm;2;2990;1480;390x270x55;1;6;f;Cream|Clay|Speckled
TABLEWARE;GLASS;Tumblers, set of 4;2;1690;1120;190x190x110;1;8;f;Clear|Smoke|Amber|Rose
TABLEWARE;GLASS;Carafe 1 l;2;2190;780;115x115x270;1;6;f;Clear|Smoke
DECO;FRAME;Oak photo frame;3;1590;480;260x210x25;2;12;f;10x15|13x18|20x30|30x40
DECO;VASE;Ceramic vase;2;2690;1150;160x160x260;1;6;f;Cream|Clay|Celadon|Ink
DECO;CLOCK;Wall clock 30 cm;3;3490;920;310x310x55;1;6;f;Oak|Walnut|Black
DECO;MIRROR;Round mirror 50 cm;3;5900;3200;540x540x45;1;2;f;Brass|Black|Oak
DECO;BASKET;Seagrass basket;4;2290;860;360x360x300;1;6;;Small|Medium|Large
DECO;BOX;Storage box with lid;3;1890;640;320x230x150;2;8;;Grey|Sage|Rose|Natural
DECO;LIGHT;Desk lamp;4;6900;1950;300x180x420;1;2;s;Brass|Matt black|White
DECO;LIGHT;Fairy lights 5 m;4;1290;210;120x90x60;4;24;;Warm white|Copper|Coloured
DECO;PLANT;Plant pot 18 cm;2;1490;1020;185x185x170;2;8;f;White|Terracotta|Graphite|Moss
DECO;PLANT;Hanging planter;2;1890;640;170x170x140;2;8;f;White|Terracotta|Ink
KITCHEN;BOARD;Chopping board;3;2490;1320;400x250x25;2;10;;Oak|Walnut|Olive wood
KITCHEN;POT;Cast iron pot 24 cm;2;8900;4600;320x260x170;1;2;;Flint|Cherry|Sage|Cream
KITCHEN;MILL;Pepper mill 18 cm;3;2990;340;65x65x185;2;12;;Beech|Walnut|Black
KITCHEN;JAR;Storage jar with cork;2;1190;620;110x110x190;2;12;f;0.5 l|1 l|1.5 l
KITCHEN;BAKING;Mixing bowl;2;1790;980;240x240x125;2;8;;Mint|Cream|Blue|Rose
KITCHEN;BAKING;Springform tin;4;1490;520;270x260x70;2;12;;20 cm|24 cm|26 cm
KITCHEN;ELECTRIC;Gooseneck kettle 1 l;4;7900;1680;300x200x250;1;4;s;Steel|Black|White
KITCHEN;ELECTRIC;Coffee grinder;4;5900;1240;180x140x260;1;4;s;Black|Cream
STATIONERY;NOTEBOOK;Notebook A5, dotted;5;890;310;215x150x18;5;40;;Navy|Sage|Mustard|Black|Rose|Kraft
STATIONERY;PEN;Pencils, set of 6;5;650;60;185x60x12;10;60;;Pastel|Wood|Neon
STATIONERY;CARD;Greeting cards, box of 10;5;990;190;180x130x30;5;40;;Joyeux Noël|Merci|Birthday|Blank
STATIONERY;DESK;Desk organiser;3;2290;720;250x150x110;1;8;;Oak|White
STATIONERY;CALENDAR;Wall calendar;5;1490;280;310x230x10;5;25;;Botanica|Villes
GARDEN;TOOL;Hand trowel;4;1190;290;320x80x50;4;24;;Ash|Black
GARDEN;SEED;Seed box;5;1690;240;220x160x60;2;16;;Herbs|Flowers|Salad
GARDEN;WATER;Watering can 1.5 l;4;2490;560;290x140x220;1;6;;Sage|Brass|White
TOYS;WOODEN;Wooden blocks, 50 pieces;3;2990;1420;260x180x110;1;6;;Natural|Rainbow
TOYS;SOFT;Linen rabbit;0;2290;180;300x120x80;2;12;;Grey|Rose|Sand
TOYS;PUZZLE;Puzzle 1000 pieces;5;1690;690;270x270x55;2;10;;Côte d'Azur|Alpen|Lisboa
TEXTILE;BED;Duvet cover 140x200;0;6900;1150;360x280x70;1;8;;White|Sand|Sage|Slate|Rose|Denim
TEXTILE;BED;Pillow case 50x70;0;1490;230;260x200x25;4;24;;White|Sand|Sage|Slate|Rose|Denim
TEXTILE;CURTAIN;Linen curtain 135x250;0;5490;980;340x260x70;1;8;;White|Natural|Sage|Terracotta|Ink
TEXTILE;RUG;Cotton rug 60x120;0;3490;1350;600x160x160;1;4;;Natural|Striped|Navy|Ochre
CANDLE;SCENTED;Reed diffuser 100 ml;1;2190;410;80x80x230;3;12;f;Fig|Cedar|Cassis|Neroli|Bergamot
CANDLE;SCENTED;Room spray 100 ml;1;1690;190;50x50x150;3;24;;Fig|Cedar|Cassis|Neroli|Linen
CANDLE;SOAP;Hand soap 300 ml;1;1190;380;70x70x180;3;18;;Olive|Verbena|Rose|Sea salt
CANDLE;SOAP;Soap bar 100 g;1;590;110;90x60x30;6;48;;Olive|Verbena|Rose|Lavender|Café
TABLEWARE;TEA;Teapot 1 l;2;3490;1150;230x150x150;1;6;f;Cream|Moss|Night|Clay
TABLEWARE;TEA;Tea strainer;4;790;60;140x60x30;6;48;;Steel|Brass
TABLEWARE;CUTLERY;Salad servers;3;1890;180;300x70x35;3;24;;Olive wood|Beech|Black
TABLEWARE;BOWL;Salad bowl 28 cm;2;3290;1650;285x285x110;1;6;f;Cream|Moss|Night|Clay
DECO;FRAME;Art print 30x40;5;1990;160;420x320x10;5;30;;Mimosa|Hirondelle|Küste|Olivar|Nuit|Étude
DECO;STORAGE;Wall hook;3;890;140;120x60x50;6;48;;Oak|Black|Brass|White
DECO;STORAGE;Laundry basket;4;3490;1700;400x400x560;1;2;;Natural|Grey|Black
KITCHEN;STORAGE;Bread bag;0;1290;120;280x200x15;6;48;;Natural|Striped|Navy
KITCHEN;TOOL;Whisk;4;990;130;280x70x70;6;36;;Steel|Beech|Black
KITCHEN;TOOL;Rolling pin;3;1490;420;430x60x60;3;18;;Beech|Olive wood
STATIONERY;PAPER;Wrapping paper, 5 sheets;5;790;140;720x60x60;10;60;;Botanica|Étoiles|Kraft|Dots|Noël
STATIONERY;PAPER;Writing paper set;5;1290;260;220x160x25;5;40;;Ivory|Blue|Rose
GARDEN;POT;Balcony box 60 cm;4;2690;1250;600x180x170;1;6;;White|Graphite|Moss
GARDEN;TOOL;Garden gloves;4;1190;110;260x120x25;6;48;;S|M|L
TOYS;WOODEN;Pull-along animal;3;1890;340;180x90x140;2;12;;Duck|Hedgehog|Fox|Hérisson
TOYS;SOFT;Baby blanket;0;2890;320;250x220x50;2;16;;White|Sage|Rose|Sky
`;

/** Kits are assembled in the warehouse from the articles at these positions of the range. */
const KITS = ['Breakfast for two', 'Candlelight', 'First flat', 'Green thumb', 'Tea time', 'Letters home'] as const;

/** In addition to the standing range, most models exist in seasonal collections. */
const COLLECTIONS = ['Riviera', 'Nordic', 'Atelier'] as const;

/** All articles of Acme Home. */
export function acmeHomeItems(): readonly Item[] {
  const random = createRandom('ACM/catalogue');
  const standing = MODELS.trim()
    .split('\n')
    .flatMap((line, index) => variantsOf(line, index));
  const range = [
    ...standing,
    ...pantryItems().map((item) => ({ ...item, collection: null })),
    ...COLLECTIONS.flatMap((name) => standing.map((item) => inCollection(item, name))),
  ].map(({ collection, ...item }, index): Item => {
    const rotation = collection === null ? rotationOf(random.next()) : rotationOf(0.15 + random.next() * 0.85);
    return {
      ...item,
      number: index + 1,
      rotation,
      popularity: popularityOf(rotation),
      discontinued: random.chance(0.02),
    };
  });
  return [...range, ...KITS.map((name, rank) => kit(name, rank, range.length)), ...extras(range.length + KITS.length)];
}

type Unranked = Omit<Item, 'number' | 'rotation' | 'popularity' | 'discontinued'> & {
  readonly collection: string | null;
};

function variantsOf(line: string, index: number): readonly Unranked[] {
  const [
    family = '',
    subFamily = '',
    name = '',
    supplier = '',
    price = '',
    weight = '',
    box = '',
    inner = '',
    carton = '',
    marks = '',
    variants = '',
  ] = line.split(';');
  const [length = 0, width = 0, height = 0] = box.split('x').map(Number);
  const model = `${family.slice(0, 3)}${String(index + 1).padStart(3, '0')}`;
  return variants.split('|').map((variant, rank): Unranked => {
    const sized = /\d|^(Small|Medium|Tall|Large|S|M|L)$/.test(variant);
    return {
      collection: null,
      reference: `${model}-${String(rank + 1).padStart(2, '0')}`,
      kind: 'goods',
      long: `${name}, ${variant.toLowerCase()}`,
      short: `${name.slice(0, 29 - variant.length).trimEnd()} ${variant}`,
      family,
      subFamily,
      brand: 'Acme Home',
      model,
      modelName: name,
      colour: sized ? null : variant,
      size: sized ? variant : null,
      supplier: SUPPLIERS[Number(supplier)] ?? { code: '', name: '' },
      price: Number(price),
      vat: 20,
      weight: Number(weight),
      length,
      width,
      height,
      spcb: Number(inner),
      pcb: Number(carton),
      fragile: marks.includes('f'),
      serialized: marks.includes('s'),
      // Candles and cosmetics are traced by lot; soaps and sprays have a sale deadline too.
      lots: family === 'CANDLE' && subFamily !== 'HOLDER' && subFamily !== 'LANTERN',
      shelfLife: subFamily === 'SOAP' ? 900 : null,
      alcohol: null,
      deposit: null,
      origin: ['IT', 'FR', 'FR', 'DE', 'PT', 'ES'][Number(supplier)] ?? 'FR',
      customs: CUSTOMS[family] ?? '96190089',
    };
  });
}

/** The same article in another design: it has its own reference, barcode and stock. */
function inCollection(item: Unranked, name: string): Unranked {
  return {
    ...item,
    collection: name,
    reference: `${item.reference}${name.slice(0, 1)}`,
    long: `${item.long} (${name})`,
    short: `${item.short.slice(0, 27).trimEnd()} ${name.slice(0, 2).toUpperCase()}`,
    model: `${item.model}${name.slice(0, 1)}`,
    modelName: `${item.modelName} ${name}`,
    price: item.price + 200,
  };
}

/** The components of a kit, one piece each. */
export function kitComponents(kitItem: Item, items: readonly Item[]): readonly Item[] {
  const random = createRandom(`ACM/kit/${kitItem.reference}`);
  const small = items.filter(
    (item) =>
      item.kind === 'goods' && item.weight < 500 && !item.serialized && !item.discontinued && item.rotation !== 'C',
  );
  return [...new Set([random.pick(small), random.pick(small), random.pick(small)])];
}

const CUSTOMS: Readonly<Record<string, string>> = {
  TEXTILE: '63041990',
  CANDLE: '34060000',
  TABLEWARE: '69120023',
  DECO: '44149090',
  KITCHEN: '82151080',
  STATIONERY: '48201030',
  GARDEN: '82013000',
  TOYS: '95030039',
};

function kit(name: string, rank: number, start: number): Item {
  return {
    number: start + rank + 1,
    rotation: 'B',
    popularity: popularityOf('B'),
    lots: false,
    shelfLife: null,
    alcohol: null,
    deposit: null,
    reference: `KIT${String(rank + 1).padStart(3, '0')}`,
    kind: 'kit',
    long: `Gift set "${name}"`,
    short: `Gift set ${name}`,
    family: 'GIFTSET',
    subFamily: 'GIFTSET',
    brand: 'Acme Home',
    model: `KIT${rank + 1}`,
    modelName: `Gift set "${name}"`,
    colour: null,
    size: null,
    supplier: { code: 'ACMEHOME', name: 'Acme Home' },
    price: 3900 + 500 * rank,
    vat: 20,
    weight: 1200,
    length: 320,
    width: 240,
    height: 130,
    spcb: 1,
    pcb: 6,
    fragile: true,
    serialized: false,
    origin: 'FR',
    customs: '96190089',
    discontinued: false,
  };
}

function extras(start: number): readonly Item[] {
  const extra = (rank: number, reference: string, name: string, kind: 'consumable' | 'service'): Item => ({
    ...kit(name, 0, start + rank),
    reference,
    kind,
    long: name,
    short: name,
    family: kind === 'service' ? 'SERVICE' : 'PACKAGING',
    subFamily: 'GIFT',
    model: reference,
    modelName: name,
    supplier: { code: 'PAPELERIA', name: 'Papelería Muñoz S.L.' },
    price: 150,
    weight: kind === 'service' ? 0 : 80,
    fragile: false,
    popularity: 0,
  });
  return [
    extra(0, 'PKG-GIFTBOX-S', 'Gift box, small', 'consumable'),
    extra(1, 'PKG-GIFTBOX-L', 'Gift box, large', 'consumable'),
    extra(2, 'PKG-RIBBON', 'Ribbon, roll of 50 m', 'consumable'),
    extra(3, 'SRV-GIFTWRAP', 'Gift wrapping', 'service'),
    extra(4, 'SRV-ENGRAVE', 'Engraving', 'service'),
  ];
}
