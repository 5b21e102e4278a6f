// People and places of the demonstration orders: invented recipients in real towns, with phone numbers that nobody has.
import { textBlock } from '../model/text-block.ts';
import { weighted } from './random.ts';
import type { Random } from './random.ts';

/** A recipient with an address, within the fields' lengths. */
export interface Recipient {
  readonly title: string | null;
  readonly firstName: string;
  readonly lastName: string;
  readonly company: string | null;
  readonly address1: string;
  readonly address2: string | null;
  readonly postalCode: string;
  readonly city: string;
  readonly country: string;
  readonly language: string;
  readonly phone: string;
  readonly email: string;
}

interface Country {
  readonly code: string;
  readonly weight: number;
  readonly language: string;
  /** Start of numbers reserved for films, or that cannot exist; four digits follow. */
  readonly phone: string;
  /** `#` stands for the house number. */
  readonly streets: readonly string[];
  /** Postal code and town, separated by a bar. */
  readonly towns: readonly string[];
  readonly women: readonly string[];
  readonly men: readonly string[];
  readonly names: readonly string[];
}

const words = (text: string): readonly string[] => text.split(', ');

const COUNTRIES: readonly Country[] = [
  {
    code: 'FR',
    weight: 44,
    language: 'fr',
    phone: '+33 1 99 00 ',
    streets: words(
      textBlock`
        # rue de l'Église, # avenue Victor Hugo, # rue du Général Leclerc, # place de la République,
        # impasse des Cèdres, # chemin de la Forêt, # rue Jean Jaurès, # quai des Bélandres, # allée des Érables,
        # boulevard Gambetta
      `,
    ),
    towns: words(
      textBlock`
        75011|Paris, 69003|Lyon, 13006|Marseille, 31000|Toulouse, 44000|Nantes, 59000|Lille, 67000|Strasbourg,
        33000|Bordeaux, 35000|Rennes, 29200|Brest, 42000|Saint-Étienne, 38000|Grenoble, 64100|Bayonne, 20000|Ajaccio,
        62100|Calais
      `,
    ),
    women: words('Chloé, Amélie, Noémie, Françoise, Inès, Maëlle, Hélène, Solène, Camille, Léa'),
    men: words('Loïc, Théo, Gaël, François, Rémi, Jérôme, Mathéo, Baptiste, Noël, Hugo'),
    names: words(
      textBlock`
        Lefèvre, Dupré, Gauthier, Béranger, Le Goff, Müller, D'Almeida, Périer, Château, Fontaine, Hébert, Guérin,
        Marchand, Vasseur, Prévost
      `,
    ),
  },
  {
    code: 'DE',
    weight: 15,
    language: 'de',
    phone: '+49 30 23125 ',
    streets: words('Lindenstraße #, Schillerstraße #, Am Mühlbach #, Große Gasse #, Goethestraße #, Grünerweg #'),
    towns: words(
      textBlock`
        10115|Berlin, 80331|München, 50667|Köln, 40213|Düsseldorf, 90402|Nürnberg, 99084|Erfurt, 20095|Hamburg,
        70173|Stuttgart
      `,
    ),
    women: words('Jana, Käthe, Sabine, Annelie, Frieda, Lena'),
    men: words('Jürgen, Björn, Matthias, Uwe, Jörg, Lukas'),
    names: words('Müller, Schäfer, Groß, Weiß, Krüger, Böhm, Hoffmann, Vogel, Kühn, Jäger'),
  },
  {
    code: 'BE',
    weight: 9,
    language: 'fr',
    phone: '+32 000 00 ',
    streets: words('Rue de la Station #, Kerkstraat #, Avenue Louise #, Chaussée de Namur #, Molenweg #'),
    towns: words('1000|Bruxelles, 4000|Liège, 9000|Gent, 2000|Antwerpen, 5000|Namur, 8000|Brugge'),
    women: words('Élise, Lotte, Manon, Anaïs'),
    men: words('Jérémie, Pieter, Maxime, Joris'),
    names: words('Peeters, Dubois, Janssens, Lambrechts, Desmedt, Thiry'),
  },
  {
    code: 'ES',
    weight: 8,
    language: 'es',
    phone: '+34 000 000 ',
    streets: words('Calle de Alcalá #, Calle del Peñón #, Avenida de la Constitución #, Plaza de España #'),
    towns: words('28013|Madrid, 08002|Barcelona, 41001|Sevilla, 29015|Málaga, 14003|Córdoba, 24001|León'),
    women: words('Núria, Begoña, Inés, María José'),
    men: words('Íñigo, Raúl, Andrés, Martín'),
    names: words('Muñoz, Ibáñez, Núñez, García, Rodríguez, Peña'),
  },
  {
    code: 'IT',
    weight: 8,
    language: 'it',
    phone: '+39 000 000 ',
    streets: words('Via Garibaldi #, Corso Italia #, Piazza del Popolo #, Via della Libertà #'),
    towns: words("20121|Milano, 50122|Firenze, 10121|Torino, 40121|Bologna, 67100|L'Aquila, 47521|Cesena"),
    women: words('Giulia, Nicolò, Chiara, Sofia'),
    men: words('Matteo, Niccolò, Davide, Tommaso'),
    names: words("Bianchi, D'Angelo, Forlì, Marangoni, Cantù, Esposito"),
  },
  {
    code: 'NL',
    weight: 6,
    language: 'nl',
    phone: '+31 000 00 ',
    streets: words("Prinsengracht #, Dorpsstraat #, Kerkplein #, 's-Gravenweg #"),
    towns: words("1017 AB|Amsterdam, 3511 CE|Utrecht, 6211 HN|Maastricht, 2511 CV|'s-Gravenhage"),
    women: words('Fleur, Anouk, Zoë'),
    men: words('Daan, Jesse, Noël'),
    names: words('de Vries, van den Berg, Bakker, Brouwer'),
  },
  {
    code: 'GB',
    weight: 5,
    language: 'en',
    phone: '+44 20 7946 ',
    streets: words('# High Street, # Mill Lane, # Station Road'),
    towns: words('SW1A 2AA|London, EH1 1YZ|Edinburgh, CF10 3NP|Cardiff'),
    women: words('Siân, Zoe, Harriet'),
    men: words('Owen, Callum, Oliver'),
    names: words("O'Neill, Bennett, Hughes, Okafor"),
  },
  {
    code: 'PT',
    weight: 2,
    language: 'pt',
    phone: '+351 000 00 ',
    streets: words('Rua da Conceição #, Avenida da Liberdade #'),
    towns: words('1100-053|Lisboa, 4000-069|Porto, 7000-508|Évora'),
    women: words('Inês, Conceição'),
    men: words('João, Tomé'),
    names: words('Gonçalves, Simões, Magalhães'),
  },
  {
    code: 'SE',
    weight: 2,
    language: 'sv',
    phone: '+46 8 465 00 ',
    streets: words('Storgatan #, Östra Ågatan #'),
    towns: words('111 20|Stockholm, 411 03|Göteborg, 211 22|Malmö'),
    women: words('Åsa, Märta'),
    men: words('Göran, Håkan'),
    names: words('Öberg, Sjöström, Åkesson'),
  },
  {
    code: 'PL',
    weight: 1,
    language: 'pl',
    phone: '+48 000 00 ',
    streets: words('ul. Świętojańska #, ul. Długa #'),
    towns: words('31-042|Kraków, 80-831|Gdańsk, 90-001|Łódź'),
    women: words('Agnieszka, Małgorzata'),
    men: words('Łukasz, Paweł'),
    names: words('Wiśniewska, Dąbrowski, Żak'),
  },
];

const SHOPS = words(
  textBlock`
    Maison & Cie, La Boîte à Thé, Das kleine Glück, Casa Peñalver, L'Épicerie du Coin, Bottega Forlì,
    The Corner Gift, Het Groene Huis, Concept Store Étoile, Feinkost Böhm, Cadeaux d'Aurore, Vinothèque du Port
  `,
);

const someCountry = weighted(COUNTRIES, (country) => country.weight);

/** An invented person. @param shop the person buys for a shop, whose name is part of the address */
export function recipient(random: Random, shop: boolean): Recipient {
  const country = someCountry(random);
  const woman = random.chance(0.55);
  const firstName = random.pick(woman ? country.women : country.men);
  const lastName = random.pick(country.names);
  const [postalCode = '', city = ''] = random.pick(country.towns).split('|');
  const plain = `${firstName}.${lastName}`
    .normalize('NFD')
    .replaceAll(/[^A-Za-z.]/g, '')
    .toLowerCase();
  return {
    title: random.chance(0.8) ? (woman ? 'Ms' : 'Mr') : null,
    firstName,
    lastName,
    company: shop ? random.pick(SHOPS) : null,
    address1: random.pick(country.streets).replace('#', String(random.int(1, 180))),
    address2: random.chance(0.15)
      ? random.pick(['Bât. B, 3e étage', '2. Stock links', 'c/o Schäfer', 'Apt 14', 'Interfono 7'])
      : null,
    postalCode,
    city,
    country: country.code,
    language: country.language,
    phone: `${country.phone}${random.int(10, 99)} ${random.int(10, 99)}`,
    email: `${plain}${random.int(1, 99)}@example.com`,
  };
}
