// The pantry of Acme Home: food and care products, all with lots and sale deadlines.
import type { Item, Supplier } from '../catalogue.ts';

const SUPPLIERS: readonly Supplier[] = [
  { code: 'TRESENCINAS', name: 'Conservas Tres Encinas S.L.' },
  { code: 'VALDORO', name: 'Tenuta Valdoro S.r.l.' },
  { code: 'VERGER', name: 'Le Verger Normand' },
  { code: 'MOULINVERT', name: 'Moulin Vert SAS' },
  { code: 'OLIVAIA', name: 'Olivaia Coop.' },
  { code: 'RUCHERHAUT', name: 'Rucher du Haut-Jura' },
];
const ORIGINS = ['ES', 'IT', 'FR', 'FR', 'GR', 'FR'] as const;

/**
 * One food per line: supplier's index; family; sub-family; name; price in cents; weight in grams; length x width x
 * height in millimetres; inner pack; carton; shelf life in days; marks (f fragile); kinds.
 */
const FOODS = `
4;GROCERY;OLIVE OIL;Huile d'olive 50 cl;1290;920;70x70x270;1;12;540;f;Fruitée verte|Fruitée noire|Citron|Basilic
4;GROCERY;OLIVES;Olives 250 g;490;430;80x80x120;6;12;720;f;Kalamata|Picholine|Farcies|Herbes
4;GROCERY;VINEGAR;Vinaigre 50 cl;690;880;70x70x250;1;12;1080;f;Cidre|Balsamique|Xérès
3;GROCERY;FLOUR;Farine 1 kg;320;1010;160x100x70;1;10;270;;Blé T65|Épeautre|Seigle|Sarrasin|Riz
3;GROCERY;PASTA;Pâtes 500 g;290;510;200x110x60;6;12;900;;Coquillettes|Linguine|Penne|Fusilli|Lentilles corail
3;GROCERY;CEREAL;Müsli 750 g;690;770;240x160x80;1;8;300;;Früchte|Schoko|Noix|Sans sucre
3;GROCERY;LEGUMES;Légumes secs 500 g;390;510;180x110x50;6;12;720;;Lentilles vertes|Pois chiches|Haricots blancs|Quinoa
3;GROCERY;RICE;Riz 1 kg;450;1010;210x130x50;1;10;720;;Camargue rond|Basmati|Rouge
3;SWEET;BISCUIT;Biscuits 200 g;380;230;200x90x60;6;24;240;f;Sablés|Chocolat|Citron|Gingembre|Épeautre
3;SWEET;CHOCOLATE;Chocolat 100 g;390;115;160x80x10;10;40;420;;Noir 70 %|Noir 85 %|Lait|Noisette|Fleur de sel|Orange
3;SWEET;SPREAD;Pâte à tartiner 350 g;690;560;85x85x105;6;12;420;f;Noisette|Amande|Noir intense
5;SWEET;HONEY;Miel 500 g;890;760;90x90x100;6;12;900;f;Montagne|Acacia|Châtaignier|Sapin|Lavande
5;SWEET;JAM;Confiture 320 g;490;520;80x80x100;6;12;720;f;Abricot|Fraise|Mûre|Myrtille|Rhubarbe|Figue
5;SWEET;CANDY;Bonbons au miel 150 g;350;170;150x100x40;10;40;540;;Pin|Citron|Eucalyptus
3;DRINKS;TEA;Thé 100 g;790;140;110x80x150;6;24;720;;Sencha|Earl Grey|Darjeeling|Rooibos|Maté|Blanc
3;DRINKS;HERB TEA;Infusion, 20 sachets;450;55;130x70x75;6;36;720;;Verveine|Tilleul|Menthe|Camomille|Détox
3;DRINKS;COFFEE;Café 250 g;690;270;180x90x60;4;16;365;;Éthiopie|Pérou|Décaféiné|Espresso|Moulu
2;DRINKS;JUICE;Jus 1 l;390;1480;85x85x290;1;6;365;f;Pomme|Poire|Pomme-coing|Raisin|Tomate
2;DRINKS;SYRUP;Sirop 50 cl;590;920;70x70x270;1;6;540;f;Grenadine|Menthe|Sureau|Citron
1;GROCERY;SAUCE;Sugo 350 g;420;560;75x75x140;6;12;720;f;Basilico|Arrabbiata|Olive|Ricotta
1;GROCERY;PESTO;Pesto 180 g;490;320;65x65x95;6;12;360;f;Genovese|Rosso|Pistacchio
4;GROCERY;SPICE;Épices 50 g;390;85;50x50x110;6;36;900;;Curcuma|Cumin|Paprika fumé|Poivre|Cannelle|Herbes
4;GROCERY;NUTS;Fruits secs 250 g;590;260;180x120x50;6;24;300;;Amandes|Noix|Abricots|Dattes|Raisins
0;GROCERY;CANNED;Conserva 200 g;450;290;110x80x30;5;50;1200;;Sardinas|Atún|Mejillones|Pimientos
3;GROCERY;SOUP;Velouté 50 cl;450;560;95x65x195;6;12;540;;Potimarron|Tomate|Poireau|Carotte-coco
3;GROCERY;SEEDS;Graines 250 g;350;260;160x110x40;6;24;420;;Chia|Lin|Courge|Tournesol|Sésame
3;GROCERY;SUGAR;Sucre 500 g;290;510;170x100x60;5;20;1080;;Canne|Muscovado|Coco
3;GROCERY;CRACKER;Crackers 150 g;350;175;180x110x50;6;24;270;f;Romarin|Sésame|Olive|Figue
3;DRINKS;PLANT DRINK;Boisson végétale 1 l;290;1060;95x65x200;1;6;270;;Avoine|Amande|Riz|Soja|Noisette
4;GROCERY;TAPENADE;Tapenade 90 g;390;190;60x60x65;6;24;540;f;Noire|Verte|Tomate séchée
5;SWEET;NOUGAT;Nougat 100 g;490;115;160x60x25;6;36;300;;Tendre|Dur|Pistache
5;SWEET;COMPOTE;Compote 380 g;320;590;80x80x110;6;12;540;f;Pomme|Poire|Abricot|Coing
3;CARE;SOAP;Savon 100 g;450;110;90x60x30;6;48;1080;;Olive|Lavande|Argan
3;CARE;OIL;Huile de soin 100 ml;1290;210;45x45x140;4;24;720;f;Argan|Jojoba|Calendula
`;

/** An article that the pantry adds to the range, not yet numbered or ranked. */
type PantryItem = Omit<Item, 'number' | 'rotation' | 'popularity' | 'discontinued'>;

/** All articles of the pantry. */
export function pantryItems(): readonly PantryItem[] {
  return FOODS.trim()
    .split('\n')
    .flatMap((line, index) => {
      const [
        from = '',
        family = '',
        subFamily = '',
        name = '',
        price = '',
        weight = '',
        box = '',
        inner = '',
        carton = '',
        life = '',
        marks = '',
        kinds = '',
      ] = line.split(';');
      const supplier = supplierAt(Number(from));
      const [length = 0, width = 0, height = 0] = box.split('x').map(Number);
      const model = `F${String(index + 1).padStart(2, '0')}`;
      return kinds.split('|').map(
        (kind, rank): PantryItem => ({
          reference: `${model}-${code(kind)}${rank + 1}`,
          kind: 'goods',
          long: `${name}, ${kind.toLowerCase()}`,
          short: `${name.slice(0, 29 - kind.length).trimEnd()} ${kind}`,
          family,
          subFamily,
          brand: supplier.name.slice(0, 20).trimEnd(),
          model,
          modelName: name,
          colour: null,
          size: / (\d.*)$/.exec(name)?.[1]?.slice(0, 10) ?? null,
          supplier,
          price: Number(price),
          vat: family === 'CARE' ? 20 : 5.5,
          weight: Number(weight),
          length,
          width,
          height,
          spcb: Number(inner),
          pcb: Number(carton),
          fragile: marks === 'f',
          serialized: false,
          lots: true,
          shelfLife: Number(life),
          alcohol: null,
          deposit: null,
          origin: ORIGINS[Number(from)] ?? 'FR',
          customs: CUSTOMS[subFamily] ?? '21069098',
        }),
      );
    });
}

const CUSTOMS: Readonly<Record<string, string>> = {
  'OLIVE OIL': '15092000',
  OLIVES: '20057000',
  FLOUR: '11010015',
  PASTA: '19021910',
  CEREAL: '19042010',
  LEGUMES: '07134000',
  RICE: '10063067',
  BISCUIT: '19053119',
  CHOCOLATE: '18063210',
  SPREAD: '18069060',
  HONEY: '04090000',
  JAM: '20079939',
  TEA: '09021000',
  COFFEE: '09012100',
  JUICE: '20097919',
  SYRUP: '21069059',
  SOAP: '34011100',
};

function supplierAt(place: number): Supplier {
  const found = SUPPLIERS[place];
  if (found === undefined) throw new RangeError(`There is no supplier ${place}.`);
  return found;
}

/** Up to four capital letters or digits of a name. */
function code(name: string): string {
  return name
    .normalize('NFD')
    .replaceAll(/[^A-Za-z0-9]/g, '')
    .slice(0, 4)
    .toUpperCase();
}
