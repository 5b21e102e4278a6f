"""Django REST framework: models, serializers, generic views, `prefetch_related` for nested records.

One process of gunicorn with threads; a connection to the database for each thread, kept."""

import json
import os
from itertools import islice
from pathlib import Path
from urllib.parse import urlsplit

import django
from django.conf import settings

database = urlsplit(os.environ['DATABASE_URL'])
settings.configure(
    DEBUG=False,
    SECRET_KEY=os.urandom(16).hex(),
    ALLOWED_HOSTS=['127.0.0.1'],
    ROOT_URLCONF=__name__,
    INSTALLED_APPS=['rest_framework'],
    MIDDLEWARE=['django.middleware.common.CommonMiddleware'],
    USE_TZ=True,
    TIME_ZONE='UTC',
    DEFAULT_AUTO_FIELD='django.db.models.BigAutoField',
    DATA_UPLOAD_MAX_MEMORY_SIZE=16 << 20,
    DATABASES={
        'default': {
            'ENGINE': 'django.db.backends.postgresql',
            'NAME': database.path[1:],
            'USER': database.username,
            'HOST': database.hostname,
            'PORT': database.port,
            'CONN_MAX_AGE': None,
        }
    },
    REST_FRAMEWORK={
        'DEFAULT_AUTHENTICATION_CLASSES': [],
        'DEFAULT_PERMISSION_CLASSES': [],
        'DEFAULT_RENDERER_CLASSES': ['rest_framework.renderers.JSONRenderer'],
        'DEFAULT_PARSER_CLASSES': ['rest_framework.parsers.JSONParser'],
        'UNAUTHENTICATED_USER': None,
    },
)
django.setup()

from django.db import models, transaction  # noqa: E402
from django.db.models import Prefetch  # noqa: E402
from django.urls import path  # noqa: E402
from django.utils.dateparse import parse_datetime  # noqa: E402
from rest_framework import generics, permissions, serializers  # noqa: E402
from rest_framework.response import Response  # noqa: E402

TOKEN = f'Bearer {os.environ["TOKEN"]}'
TABLES = json.loads((Path(__file__).parent / 'tables.json').read_text())

KINDS = {
    'text': lambda: models.TextField(null=True),
    'integer': lambda: models.BigIntegerField(null=True),
    'number': lambda: models.FloatField(null=True),
    'boolean': lambda: models.BooleanField(null=True),
    'instant': lambda: models.DateTimeField(null=True),
}


def make_model(table):
    fields = {
        '__module__': __name__,
        'position': models.BigAutoField(primary_key=True),
        'Meta': type('Meta', (), {'app_label': 'records', 'managed': False, 'db_table': table['name']}),
    }
    fields.update({column['name']: KINDS[column['kind']]() for column in table['columns']})
    if table['parent'] is not None:
        fields['parent'] = models.ForeignKey(
            MODELS[table['parent']['table']],
            models.CASCADE,
            db_column='parentPosition',
            related_name=table['parent']['field'],
        )
    return type(table['name'], (models.Model,), fields)


MODELS = {}
for described in TABLES:
    MODELS[described['name']] = make_model(described)


def make_serializer(name):
    nested = {table['parent']['field']: table for table in TABLES if (table['parent'] or {}).get('table') == name}
    columns = [column['name'] for table in TABLES if table['name'] == name for column in table['columns']]
    fields = {field: make_serializer(table['name'])(many=True, required=False) for field, table in nested.items()}
    fields['Meta'] = type('Meta', (), {'model': MODELS[name], 'fields': [*columns, *nested]})
    return type(f'{name}_serializer', (serializers.ModelSerializer,), fields)


class HasToken(permissions.BasePermission):
    def has_permission(self, request, view):
        return request.headers.get('authorization') == TOKEN


class RecordList(generics.ListAPIView):
    permission_classes = [HasToken]

    def filter_queryset(self, queryset):
        query = self.request.query_params
        limit = min(int(query.get('limit', 100)), 100)
        if 'before' in query:
            before = parse_datetime(query['before'])
            return queryset.filter(movementTimestamp__lt=before).order_by('-movementTimestamp', '-position')[:limit]
        if 'articleReference' in query:
            queryset = queryset.filter(articleReference=query['articleReference'])
        return queryset.filter(position__gt=int(query.get('after', 0))).order_by('position')[:limit]


class Movements(RecordList):
    queryset = MODELS['movement'].objects.all()
    serializer_class = make_serializer('movement')


class Stock(RecordList):
    queryset = MODELS['stock'].objects.all()
    serializer_class = make_serializer('stock')


class Orders(RecordList):
    queryset = MODELS['customer_order'].objects.prefetch_related(
        Prefetch('orderEntries', MODELS['order_line'].objects.order_by('position')),
        Prefetch('orderSubOrders', MODELS['sub_order'].objects.order_by('position')),
        Prefetch('orderSubOrders__orderEntries', MODELS['sub_order_line'].objects.order_by('position')),
    )
    serializer_class = make_serializer('customer_order')


class Articles(generics.GenericAPIView):
    permission_classes = [HasToken]
    serializer_class = make_serializer('article')

    def post(self, request):
        serializer = self.get_serializer(data=request.data, many=True)
        serializer.is_valid(raise_exception=True)
        barcodes = [each.pop('barcodes', []) for each in serializer.validated_data]
        with transaction.atomic():
            made = MODELS['article'].objects.bulk_create(
                MODELS['article'](**each) for each in serializer.validated_data
            )
            MODELS['article_barcode'].objects.bulk_create(
                MODELS['article_barcode'](parent=article, **barcode)
                for article, codes in zip(made, barcodes)
                for barcode in codes
            )
        return Response({'status': 200, 'passed': [each.articleReference for each in made]})


urlpatterns = [
    path('movements', Movements.as_view()),
    path('orders', Orders.as_view()),
    path('stock', Stock.as_view()),
    path('articles', Articles.as_view()),
]

from django.core.wsgi import get_wsgi_application  # noqa: E402

application = get_wsgi_application()


def import_movements(file):
    """Inserts the movements of a file, a thousand in a statement."""
    model = MODELS['movement']
    with open(file, encoding='utf-8') as lines:
        while batch := [json.loads(line) for line in islice(lines, 1000)]:
            for record in batch:
                record.pop('articleLotNumber', None)
            model.objects.bulk_create(model(**record) for record in batch)


if __name__ == '__main__':
    import_movements(os.environ['IMPORT'])
