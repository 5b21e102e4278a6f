// The range of Biovital, a shop for organic food and wine: everything has lots, food has sale deadlines, drinks have
// alcohol data.
import { createRandom } from './random.ts';
import type { Alcohol, Item, Supplier } from './catalogue.ts';

const SUPPLIERS: readonly Supplier[] = [
  { code: 'TILLEULS', name: 'Domaine des Tilleuls' },
  { code: 'BELLESOURCE', name: 'Château Belle-Source' },
  { code: 'TRESENCINAS', name: 'Bodegas Tres Encinas S.L.' },
  { code: 'AMSELBERG', name: 'Weingut Amselberg' },
  { code: 'FREIXO', name: 'Quinta do Freixo Lda' },
  { code: 'VALDORO', name: 'Tenuta Valdoro S.r.l.' },
  { code: 'VERGER', name: 'Le Verger Normand' },
  { code: 'MOULINVERT', name: 'Moulin Vert SAS' },
  { code: 'OLIVAIA', name: 'Olivaia Coop.' },
  { code: 'RUCHERHAUT', name: 'Rucher du Haut-Jura' },
];
const ORIGINS = ['FR', 'FR', 'ES', 'DE', 'PT', 'IT', 'FR', 'FR', 'GR', 'FR'] as const;

/**
 * One drink a line: supplier's place in the list; sub-family; name; price in cents; degree; code of the excise
 * authority; taxation; customs code; vintages or kinds; bottle sizes in centilitres.
 */
const DRINKS = `
0;RED WINE;Vieilles Vignes rouge;1150;13.5;VT;STILL WINE;22042142;2020,2021,2022,2023;75,150
0;WHITE WINE;Cuvée des Abeilles blanc;1090;12.5;VT;STILL WINE;22042138;2022,2023,2024;75,150
0;ROSÉ;Rosé de Tilleul;890;12.5;VT;STILL WINE;22042142;2023,2024;75,150
0;SPARKLING;Crémant brut nature;1490;12;VM;SPARKLING WINE;22041098;Brut,Rosé;75,150
1;RED WINE;Château Belle-Source, grand vin;2490;14;VT;STILL WINE;22042142;2018,2019,2020,2021;75,150
1;RED WINE;La Source, second vin;1390;13.5;VT;STILL WINE;22042142;2020,2021,2022;37.5,75
1;WHITE WINE;Clos de la Fontaine;1690;13;VT;STILL WINE;22042138;2021,2022,2023;75
2;RED WINE;Encina Vieja crianza;990;14;VT;STILL WINE;22042166;2018,2019,2020;75,150
2;RED WINE;Monastrell sin sulfitos;850;14.5;VT;STILL WINE;22042166;2022,2023;75
2;WHITE WINE;Verdejo de altura;790;12.5;VT;STILL WINE;22042166;2023,2024;75
3;WHITE WINE;Riesling trocken;1190;12;VT;STILL WINE;22042117;2021,2022,2023;75,100
3;WHITE WINE;Weißburgunder Kabinett;990;11.5;VT;STILL WINE;22042117;2022,2023;75
3;RED WINE;Spätburgunder;1490;13;VT;STILL WINE;22042117;2020,2021,2022;75
3;SPARKLING;Winzersekt extra brut;1590;12;VM;SPARKLING WINE;22041098;Brut,Rosé;75
4;RED WINE;Freixo tinto;890;13.5;VT;STILL WINE;22042144;2020,2021,2022;75
4;WHITE WINE;Vinho verde;690;10.5;VT;STILL WINE;22042144;2023,2024;75
4;PORT;Porto Colheita;2890;20;VDL;INTERMEDIATE;22042189;2009,2012,2014;50,75
5;RED WINE;Valdoro riserva;1990;14;VT;STILL WINE;22042166;2017,2018,2019;75,150
5;WHITE WINE;Vermentino di costa;1090;13;VT;STILL WINE;22042138;2022,2023,2024;75
5;SPARKLING;Prosecco col fondo;1190;11;VM;SPARKLING WINE;22041015;Brut,Extra dry;75,150
6;CIDER;Cidre fermier;490;4.5;CID;FERMENTED;22060051;Brut,Doux,Demi-sec;33,75
6;PERRY;Poiré;590;4;CID;FERMENTED;22060051;Brut,Doux;75
6;SPIRIT;Calvados;3290;40;ALC;SPIRIT;22082026;Fine,Réserve,XO;35,70
0;RED WINE;Clos du Rossignol;1690;13.5;VT;STILL WINE;22042142;2019,2020,2021,2022;75,150
1;ROSÉ;Clairet de Belle-Source;990;12.5;VT;STILL WINE;22042142;2022,2023,2024;75
2;RED WINE;Garnacha de los Altos;1090;14.5;VT;STILL WINE;22042166;2020,2021,2022;75
3;ROSÉ;Rosé vom Muschelkalk;890;11.5;VT;STILL WINE;22042117;2023,2024;75
4;RED WINE;Freixo reserva;1490;14;VT;STILL WINE;22042144;2017,2018,2019;75,150
5;RED WINE;Rosso di collina;890;13;VT;STILL WINE;22042166;2021,2022,2023;75
7;BEER;Bière de froment;290;5;BIE;BEER;22030001;Blanche,Ambrée,IPA,Sans gluten;33,75
`;

/**
 * One food a line: supplier's place; family; sub-family; name; price in cents; weight in grams; length x width x height
 * in millimetres; inner pack; carton; shelf life in days; marks (f fragile); kinds.
 */
const FOODS = `
8;GROCERY;OLIVE OIL;Huile d'olive 50 cl;1290;920;70x70x270;1;12;540;f;Fruitée verte|Fruitée noire|Citron|Basilic
8;GROCERY;OLIVES;Olives 250 g;490;430;80x80x120;6;12;720;f;Kalamata|Picholine|Farcies|Herbes
8;GROCERY;VINEGAR;Vinaigre 50 cl;690;880;70x70x250;1;12;1080;f;Cidre|Balsamique|Xérès
7;GROCERY;FLOUR;Farine 1 kg;320;1010;160x100x70;1;10;270;;Blé T65|Épeautre|Seigle|Sarrasin|Riz
7;GROCERY;PASTA;Pâtes 500 g;290;510;200x110x60;6;12;900;;Coquillettes|Linguine|Penne|Fusilli|Lentilles corail
7;GROCERY;CEREAL;Müsli 750 g;690;770;240x160x80;1;8;300;;Früchte|Schoko|Noix|Sans sucre
7;GROCERY;LEGUMES;Légumes secs 500 g;390;510;180x110x50;6;12;720;;Lentilles vertes|Pois chiches|Haricots blancs|Quinoa
7;GROCERY;RICE;Riz 1 kg;450;1010;210x130x50;1;10;720;;Camargue rond|Basmati|Rouge
7;SWEET;BISCUIT;Biscuits 200 g;380;230;200x90x60;6;24;240;f;Sablés|Chocolat|Citron|Gingembre|Épeautre
7;SWEET;CHOCOLATE;Chocolat 100 g;390;115;160x80x10;10;40;420;;Noir 70 %|Noir 85 %|Lait|Noisette|Fleur de sel|Orange
7;SWEET;SPREAD;Pâte à tartiner 350 g;690;560;85x85x105;6;12;420;f;Noisette|Amande|Noir intense
9;SWEET;HONEY;Miel 500 g;890;760;90x90x100;6;12;900;f;Montagne|Acacia|Châtaignier|Sapin|Lavande
9;SWEET;JAM;Confiture 320 g;490;520;80x80x100;6;12;720;f;Abricot|Fraise|Mûre|Myrtille|Rhubarbe|Figue
9;SWEET;CANDY;Bonbons au miel 150 g;350;170;150x100x40;10;40;540;;Pin|Citron|Eucalyptus
7;DRINKS;TEA;Thé 100 g;790;140;110x80x150;6;24;720;;Sencha|Earl Grey|Darjeeling|Rooibos|Maté|Blanc
7;DRINKS;HERB TEA;Infusion, 20 sachets;450;55;130x70x75;6;36;720;;Verveine|Tilleul|Menthe|Camomille|Détox
7;DRINKS;COFFEE;Café 250 g;690;270;180x90x60;4;16;365;;Éthiopie|Pérou|Décaféiné|Espresso|Moulu
6;DRINKS;JUICE;Jus 1 l;390;1480;85x85x290;1;6;365;f;Pomme|Poire|Pomme-coing|Raisin|Tomate
6;DRINKS;SYRUP;Sirop 50 cl;590;920;70x70x270;1;6;540;f;Grenadine|Menthe|Sureau|Citron
5;GROCERY;SAUCE;Sugo 350 g;420;560;75x75x140;6;12;720;f;Basilico|Arrabbiata|Olive|Ricotta
5;GROCERY;PESTO;Pesto 180 g;490;320;65x65x95;6;12;360;f;Genovese|Rosso|Pistacchio
8;GROCERY;SPICE;Épices 50 g;390;85;50x50x110;6;36;900;;Curcuma|Cumin|Paprika fumé|Poivre|Cannelle|Herbes
8;GROCERY;NUTS;Fruits secs 250 g;590;260;180x120x50;6;24;300;;Amandes|Noix|Abricots|Dattes|Raisins
2;GROCERY;CANNED;Conserva 200 g;450;290;110x80x30;5;50;1200;;Sardinas|Atún|Mejillones|Pimientos
7;GROCERY;SOUP;Velouté 50 cl;450;560;95x65x195;6;12;540;;Potimarron|Tomate|Poireau|Carotte-coco
7;GROCERY;SEEDS;Graines 250 g;350;260;160x110x40;6;24;420;;Chia|Lin|Courge|Tournesol|Sésame
7;GROCERY;SUGAR;Sucre 500 g;290;510;170x100x60;5;20;1080;;Canne|Muscovado|Coco
7;GROCERY;CRACKER;Crackers 150 g;350;175;180x110x50;6;24;270;f;Romarin|Sésame|Olive|Figue
7;DRINKS;PLANT DRINK;Boisson végétale 1 l;290;1060;95x65x200;1;6;270;;Avoine|Amande|Riz|Soja|Noisette
8;GROCERY;TAPENADE;Tapenade 90 g;390;190;60x60x65;6;24;540;f;Noire|Verte|Tomate séchée
9;SWEET;NOUGAT;Nougat 100 g;490;115;160x60x25;6;36;300;;Tendre|Dur|Pistache
9;SWEET;COMPOTE;Compote 380 g;320;590;80x80x110;6;12;540;f;Pomme|Poire|Abricot|Coing
7;CARE;SOAP;Savon 100 g;450;110;90x60x30;6;48;1080;;Olive|Lavande|Argan
7;CARE;OIL;Huile de soin 100 ml;1290;210;45x45x140;4;24;720;f;Argan|Jojoba|Calendula
`;

/** All articles of Biovital. */
export function biovitalItems(): readonly Item[] {
  const random = createRandom('BIO/catalogue');
  return [...drinks(), ...foods()].map((item, index) => {
    const chance = random.next();
    const rotation = chance < 0.2 ? 'A' : chance < 0.55 ? 'B' : 'C';
    return {
      ...item,
      number: index + 1,
      rotation,
      popularity: { A: 16, B: 1.8, C: 0.4 }[rotation],
      discontinued: random.chance(0.02),
    };
  });
}

type Unranked = Omit<Item, 'number' | 'rotation' | 'popularity' | 'discontinued'>;

function drinks(): readonly Unranked[] {
  return DRINKS.trim()
    .split('\n')
    .flatMap((line, index) => {
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
      ] = line.split(';');
      const supplier = supplierAt(Number(from));
      const model = `D${String(index + 1).padStart(2, '0')}`;
      return kinds.split(',').flatMap((kind) =>
        sizes.split(',').map((size): Unranked => {
          const litres = Number(size) / 100;
          const wide = Math.round(75 * Math.cbrt(litres / 0.75));
          const alcohol: Alcohol = { degree: Number(degree), litres, type: subFamily, taxation, regie };
          return {
            reference: `${model}-${code(kind)}-${size.replace('.', '')}`,
            kind: 'goods',
            long: `${name} ${kind}, ${size} cl`,
            short: `${name.slice(0, 29 - kind.length - size.length - 1).trimEnd()} ${kind} ${size}`,
            family: 'ALCOHOL',
            subFamily,
            brand: supplier.name.slice(0, 20),
            model,
            modelName: name,
            colour: null,
            size: `${size} cl`,
            supplier,
            price: Math.round((Number(price) * litres) / 0.75),
            vat: 20,
            weight: Math.round(litres * 1000 + 520 * Math.cbrt(litres / 0.75)),
            length: wide,
            width: wide,
            height: Math.round(wide * 4),
            spcb: 1,
            pcb: litres < 0.5 ? 12 : 6,
            fragile: true,
            serialized: false,
            lots: true,
            shelfLife: regie === 'BIE' || regie === 'CID' ? 540 : null,
            alcohol,
            origin: ORIGINS[Number(from)] ?? 'FR',
            customs,
          };
        }),
      );
    });
}

function foods(): readonly Unranked[] {
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
        (kind, rank): Unranked => ({
          reference: `${model}-${code(kind)}${rank + 1}`,
          kind: 'goods',
          long: `${name}, ${kind.toLowerCase()}`,
          short: `${name.slice(0, 29 - kind.length).trimEnd()} ${kind}`,
          family,
          subFamily,
          brand: supplier.name.slice(0, 20),
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
