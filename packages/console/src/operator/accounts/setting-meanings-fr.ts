// French translations of what the settings of carrier accounts mean; the service tells them in English.

const frenchMeanings: Readonly<Record<string, string>> = {
  // The same at every carrier that declares goods to customs.
  eori: 'Numéro EORI de l’expéditeur, pour la douane.',
  vatNumber: 'Numéro de TVA de l’expéditeur, pour la douane.',
  ioss: 'Numéro IOSS de l’expéditeur, pour les marchandises qui entrent dans l’Union européenne.',
  goodsCategory: 'Motif de l’envoi pour la douane, quand la commande n’en dit rien.',
  incoterm: 'Incoterm des colis qui passent la douane, quand la commande n’en a pas.',
  language: 'Langue des libellés du suivi.',
  suiviUrl: 'Adresse de « Suivi v2 ».',
  clientSecret: 'Secret (client secret) de votre application.',
  currency: 'Devise du contre-remboursement, trois lettres.',
  'sandbox.companyPrefix':
    'Préfixe GS1 des numéros de colis, 7 à 9 chiffres ; 952 au début est réservé aux démonstrations. Aucun numéro ' +
    'n’est donné deux fois avec un préfixe, quels que soient ses comptes.',
  'sandbox.speed':
    'Combien de fois plus vite que chez un vrai transporteur les colis avancent : 1 prend des jours, 1440 des ' +
    'minutes.',
  'sandbox.downUntil':
    'Instant, en millisecondes depuis 1970, jusqu’auquel le transporteur répond comme s’il était injoignable : ' +
    'pour ' +
    'l’essayer.',
  'sandbox.warehouseClock':
    'Marche de l’horloge de l’entrepôt de démonstration, qui le règle lui-même : préfixe de ses colis, un ' +
    'instant, ce ' +
    'que l’horloge disait alors, et sa vitesse. Ses colis suivent cette horloge.',
  'mondialrelay.login':
    'Version 2 : identifiant de l’interface, par exemple XXX@business-api.mondialrelay.com (dans MR Connect, ' +
    'Configuration des API, version 2.0). Vide : le compte n’a pas la version 2.',
  'mondialrelay.password': 'Version 2 : mot de passe de cet identifiant.',
  'mondialrelay.customerId': 'Version 2 : numéro de client (enseigne), par exemple BDTEST.',
  'mondialrelay.culture':
    'Langue et pays du compte : des étiquettes quand l’expéditeur n’a pas de langue, et du suivi.',
  'mondialrelay.environment':
    'Version 2 : production, sandbox (rien n’y est enregistré), ou l’adresse d’un serveur qui parle de même, ' +
    'comme un ' +
    'simulateur.',
  'mondialrelay.enseigne':
    'Version 1 : code de l’enseigne, huit majuscules, chiffres et espaces, par exemple BDTEST13. Vide : le compte ' +
    'n’a ' +
    'ni la version 1 ni le suivi.',
  'mondialrelay.brandCode':
    'Version 1 : code de la marque, par exemple 11 ; il fait les liens vers les étiquettes quand le transporteur ' +
    'n’en ' +
    'donne pas.',
  'mondialrelay.privateKey': 'Version 1 : clé privée qui signe les demandes.',
  'mondialrelay.v1Url': 'Version 1 : adresse de l’interface SOAP.',
  'mondialrelay.apiVersion':
    'Version des demandes qui n’en nomment pas : 1 ou 2. Vide : 2 si le compte l’a, ' + 'sinon 1.',
  'laposte.apiKey': 'Clé de votre application pour « Suivi v2 » sur developer.laposte.fr (X-Okapi-Key).',
  'laposte.language': 'Langue des libellés.',
  'laposte.baseUrl': 'Adresse de l’interface. Il n’y en a qu’une : La Poste n’a pas d’adresse de test à part.',
  'colissimo.apiKey':
    'Clé d’API de la Colissimo Box. Vide si vous avez encore un numéro de contrat et un mot de passe.',
  'colissimo.contractNumber': 'Numéro de contrat, sans clé d’API.',
  'colissimo.password': 'Mot de passe du contrat, sans clé d’API.',
  'colissimo.accountNumber': 'Numéro du compte pour lequel vous expédiez, si ce n’est pas celui de la clé.',
  'colissimo.commercialName': 'Votre nom dans les messages aux destinataires. Vide : le nom de l’expéditeur.',
  'colissimo.returnTypeChoice':
    'Ce que devient un colis qui ne peut pas être livré à l’étranger : 2 revient à vos frais, 3 ne revient pas.',
  'colissimo.eoriGb': 'Numéro EORI de l’expéditeur en Grande-Bretagne, pour la douane là-bas.',
  'colissimo.environment': 'Si les étiquettes sont vraies, ou des spécimens pour des tests.',
  'colissimo.version': 'Version du service d’étiquettes, quand une demande n’en nomme pas.',
  'colissimo.baseUrl': 'Adresse du service d’étiquettes.',
  'colissimo.suiviKey':
    'Clé de votre application pour « Suivi v2 » sur developer.laposte.fr, pour le suivi là-bas. Vide : suivi chez ' +
    'Colissimo, avec les accès des étiquettes.',
  'chronopost.accountNumber': 'Numéro de votre contrat chez Chronopost, des chiffres.',
  'chronopost.password': 'Mot de passe du contrat pour les services web (code Chronotrace).',
  'chronopost.subAccount': 'Numéro du sous-compte, si vous expédiez pour l’un d’eux.',
  'chronopost.idEmit': 'Code de l’émetteur, que Chronopost peut vous donner.',
  'chronopost.baseUrl': 'Adresse des services web. Il n’y a pas d’adresse à part pour des tests.',
  'chronopost.suiviKey':
    'Clé de votre application pour « Suivi v2 » sur developer.laposte.fr, pour le suivi là-bas. Vide : suivi chez ' +
    'Chronopost, qui n’a pas besoin de clé.',
  'dpd.userId': 'Identifiant de votre accès à EPrint.',
  'dpd.password': 'Mot de passe de votre accès à EPrint.',
  'dpd.centerNumber': 'Numéro de votre agence DPD, trois chiffres au plus.',
  'dpd.customerNumber': 'Votre numéro de client à l’agence, des chiffres.',
  'dpd.countryCode': 'Pays du compte, comme DPD les numérote.',
  'dpd.notification':
    'Ce que les destinataires reçoivent quand le mode n’est pas PREDICT : rien, ou un message par SMS ou courriel.',
  'dpd.baseUrl':
    'Adresse d’EPrint ; pour des tests ' +
    'https://e-station-testenv.cargonet.software/eprintwebservice/eprintwebservice.asmx.',
  'dpd.trackingUrl':
    'Adresse de Webtrace ; pour des tests ' +
    'https://e-station-testenv.cargonet.software/trace-service/Webtrace_Service.asmx.',
  'gls.clientId': 'Client ID de votre application sur dev-portal.gls-group.net.',
  'gls.contactId': 'Contact ID de l’expéditeur, donné par GLS.',
  'gls.middleware': 'Nom du logiciel d’expédition convenu entre GLS et vous.',
  'gls.senderOnLabel':
    'Quel expéditeur figure sur les étiquettes : celui du contact ID, ou celui de la demande, que GLS doit avoir ' +
    'permis ' +
    'pour ce contact ID.',
  'gls.incoterm': 'Code Incoterm des colis qui passent une frontière douanière, par exemple 10. Vide : aucun.',
  'gls.customsApi':
    'Si les marchandises des colis en douane sont dites à GLS par sa Customs API, pour laquelle votre application ' +
    'doit ' +
    'avoir un droit à part : non, comme brouillon que quelqu’un complète dans son Customs Portal, ou oui.',
  'gls.baseUrl':
    'Adresse de l’interface : https://api.gls-group.net, pour des tests https://api-sandbox.gls-group.net.',
  'ups.clientId': 'Client ID de votre application sur developer.ups.com.',
  'ups.accountNumber': 'Numéro de votre compte UPS (shipper number), six lettres et chiffres, qui paie les envois.',
  'ups.locale': 'Langue et pays des libellés du suivi, par exemple fr_FR.',
  'ups.baseUrl': 'Adresse de l’interface : https://onlinetools.ups.com, pour des tests https://wwwcie.ups.com.',
  'dhl.clientId':
    'Clé d’API de votre application sur developer.dhl.com pour « Parcel DE Shipping ». Vide : pas d’étiquettes.',
  'dhl.clientSecret': 'Secret d’API de cette application.',
  'dhl.username': 'Utilisateur du portail des clients professionnels (geschaeftskunden.dhl.de).',
  'dhl.password': 'Mot de passe de cet utilisateur.',
  'dhl.billingNumbers':
    'Vos numéros de facturation, 14 caractères chacun, séparés par des virgules : un par produit, que distinguent ' +
    'les ' +
    'chiffres 11 et 12.',
  'dhl.profile': 'Profil du groupe d’utilisateurs.',
  'dhl.cashAccount':
    'Référence du compte pour le contre-remboursement, comme le portail la nomme. Vide : pas de ' +
    'contre-remboursement.',
  'dhl.returnReceivers':
    'Destinataires des retours, comme le portail les nomme, par pays du consommateur, séparés par des virgules : ' +
    'DE=deu, AT=aut. Vide : pas de retours.',
  'dhl.trackingKey': 'Clé d’API pour « Shipment Tracking – Unified ». Vide : pas de suivi.',
  'dhl.language': 'Langue des libellés, deux lettres, par exemple de.',
  'dhl.baseUrl': 'Adresse pour les étiquettes : https://api-eu.dhl.com, pour des tests https://api-sandbox.dhl.com.',
  'dhl.trackingUrl': 'Adresse pour le suivi.',
  'karrio.baseUrl': 'Adresse de votre serveur Karrio, sans barre à la fin, par exemple http://localhost:5002.',
  'karrio.apiKey': 'Clé d’API du serveur Karrio (key_…).',
  'karrio.carrierName':
    'Transporteur derrière Karrio, écrit comme Karrio l’écrit, par exemple chronopost ou dpd_meta. Le suivi en a ' +
    'besoin.',
  'karrio.carrierId': 'Nom de la connexion du transporteur dans Karrio, s’il y en a plusieurs.',
  'karrio.pickupOption':
    'Option de Karrio qui prend le numéro d’un point de retrait, comme sa page du transporteur la nomme. Vide : ' +
    'pas de ' +
    'points de retrait.',
};

/** Null for a setting of a service of another version. */
export function frenchMeaning(carrier: string, setting: string): string | null {
  for (const name of [`${carrier}.${setting}`, setting])
    if (Object.hasOwn(frenchMeanings, name)) return frenchMeanings[name] ?? null;
  return null;
}
