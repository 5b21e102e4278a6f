// What the fields of an article mean, in French: those whose name does not say it already.
import type { ArticleFieldFacts } from '../generated/article-fields.ts';
import type { ArticleList } from './edited.ts';

/**
 * The French meaning of a field; undefined when its name says all of it.
 * @param list whose elements have it; null: the article has it
 */
export function frenchMeaning(
  { name, kind }: Pick<ArticleFieldFacts, 'name' | 'kind'>,
  list: ArticleList | null,
): string | undefined {
  if (/^(customField|specif)/.test(name)) return `${kinds[kind] ?? 'Texte'} d’usage libre.`;
  if (list !== null) return frenchElementMeanings[list][name];
  return frenchMeanings[name] ?? frenchMeanings[name.replace(/\d$/, '')];
}

const kinds: Readonly<Record<string, string>> = { 'date-time': 'Date', integer: 'Nombre', decimal: 'Nombre' };

/** A number at the end of a name can be left out, where it changes nothing. */
export const frenchMeanings: Readonly<Record<string, string>> = {
  activityCode: 'L’activité à laquelle l’article appartient.',
  articleReference: 'Unique au sein de l’activité.',
  doReferenceCode: 'Référence de l’article chez le client.',
  nomenclatureManaged: 'L’article est composé d’autres articles.',
  articleType: 'Nature de l’article.',
  articleRotationClass: 'Vitesse à laquelle l’article se vend.',
  receptionMethod: 'Taille de l’emplacement où l’entrepôt le reçoit.',
  storageMethod: 'Famille de péremption dans le système d’entrepôt.',
  preferredStorageZone: 'Zone où il se range le mieux.',
  preferredStorageAisle: 'Famille de stockage dans le système d’entrepôt.',
  preparationMethod: 'Famille de préparation dans le système d’entrepôt.',
  articlePackaging: 'Comment l’article est emballé.',
  supplierArticleReference: 'Référence de l’article chez son fournisseur.',
  supplierArticleDescription: 'Libellé de l’article chez son fournisseur.',
  articleAnalysisCode: 'Ce que l’article est pour la comptabilité.',
  articlePrice: 'Prix d’usage libre.',
  modelReference: 'Le modèle que tailles et couleurs ont en commun.',
  saleExpirationDate: 'L’article a une date limite de vente.',
  receptionDeadlineInDays: 'Durée de vie restante exigée à la réception.',
  shippingDeadlineInDays: 'Durée de vie restante exigée à l’expédition.',
  serializedArticle: 'Les numéros de série sont suivis.',
  lotTrackedArticle: 'Les numéros de lot sont suivis.',
  quantityDeclarationManaged: 'Les quantités sont déclarées.',
  fragileArticle: 'L’article est préparé avec soin.',
  customsCode: 'Code du système harmonisé, ou de la nomenclature combinée qui le prolonge.',
  countryOfOriginCode: 'Code ISO 3166-1 à deux lettres.',
  topHazardousMaterial: 'L’article est dangereux.',
  topAlcoholArticle: 'L’article contient de l’alcool.',
  topConsignedArticle: 'Une consigne est rendue pour l’article.',
  disableProduit: 'L’article n’est plus pris en compte.',
};

/** By list, of its elements. */
export const frenchElementMeanings: Readonly<Record<ArticleList, Readonly<Record<string, string>>>> = {
  barcodes: {
    code: 'Tel qu’il est lu. 8, 12, 13 ou 14 chiffres sont un GTIN et demandent leur clé.',
    isPrimary: 'Un seul de sa liste peut l’être.',
    barcodeUnit: 'Ce que le code désigne : l’UVC, le carton.',
    barcodeQuantity: 'Quantité que vaut une lecture.',
    logisticalVariantCode: 'Variante à laquelle le code appartient.',
    disabled: 'Le code n’est plus utilisé.',
  },
  logisticalVariants: {
    articleReference: 'Référence de l’article.',
    numeroObjet: 'Numéro de la variante dans le système d’entrepôt.',
    logisticalVariantCode: 'Unique au sein de l’article.',
    subpackagingLvCode: 'Variante dont celle-ci est faite.',
    baseLv: 'Celle dans laquelle les quantités sont comptées.',
    packagingLv: 'La variante est un niveau de conditionnement.',
    managementLv: 'Celle dans laquelle l’entrepôt gère l’article.',
    quantityInSubpackagingLv: 'Combien elle contient de la variante d’en dessous.',
    quantityInBaseLv: 'Combien elle contient d’UVC, en texte.',
    checkAtReceipt: 'La variante est contrôlée à la réception.',
    repackingAtReceipt: 'La variante est reconditionnée à la réception.',
    hdTypeCode: 'Support sur lequel elle est déplacée.',
    locationSizeCode: 'Taille de l’emplacement qu’il lui faut.',
    storageGroupCode: 'Décide où elle est rangée.',
    bulkStorageGroupCode: 'Décide où elle est rangée en masse.',
    preparationGroupCode: 'Décide comment elle est prélevée.',
    subpackagingLvNbConstitutingLayer: 'Combien de la variante d’en dessous font une couche.',
    newLv: 'La variante est nouvelle.',
    disableVl: 'La variante n’est plus utilisée.',
    rfxDateLastUpdate: 'Dernière modification dans le système d’entrepôt.',
    rfxDateCreation: 'Création dans le système d’entrepôt.',
    codeUserCreation: 'Utilisateur du système d’entrepôt qui l’a créée.',
    codeUserLastUpdate: 'Utilisateur du système d’entrepôt qui l’a modifiée en dernier.',
    lastEvent: 'Dernier événement de la variante dans le système d’entrepôt.',
  },
};
