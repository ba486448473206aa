"""The tables of the shops whose public data are records: as a company would declare them."""

from typing import Final

RETAIL: Final = """
CREATE TABLE retail.users (
    user_id text PRIMARY KEY, name text NOT NULL, email text, city text, state text, zip text);
CREATE TABLE retail.products (product_id text PRIMARY KEY, name text NOT NULL);
CREATE TABLE retail.items (
    item_id text PRIMARY KEY, product_id text NOT NULL REFERENCES retail.products,
    price numeric(10, 2) NOT NULL, available boolean NOT NULL,
    "armrest" text, "backlight" text, "backrest_height" text, "bagged_or_bagless" text,
    "band_material" text, "battery_life" text, "battery_type" text, "brand" text, "brightness" text,
    "capacity" text, "color" text, "color_temperature" text, "compartment" text, "compatibility" text,
    "connectivity" text, "cover_type" text, "deck_material" text, "design" text, "dial_color" text,
    "diameter" text, "difficulty_level" text, "display" text, "features" text, "field_of_view" text,
    "filter_type" text, "frame_color" text, "frame_material" text, "frame_size" text, "gender" text,
    "height" text, "kit_size" text, "length" text, "lens_color" text, "lens_type" text, "material" text,
    "output" text, "piece_count" text, "pieces" text, "power_source" text, "pressure" text,
    "processor" text, "ram" text, "resolution" text, "room_size" text, "scent_family" text,
    "screen_size" text, "sensor_type" text, "set_type" text, "size" text, "skin_tone" text, "sole" text,
    "speed_settings" text, "storage" text, "stovetop_compatibility" text, "strap_material" text,
    "style" text, "switch_type" text, "theme" text, "thickness" text, "tilt_mechanism" text,
    "type" text, "ventilation" text, "water_resistance" text, "waterproof" text, "weight_range" text,
    "zipper" text, "zoom" text);
CREATE INDEX ON retail.items (product_id);
CREATE TABLE retail.orders (
    order_id text PRIMARY KEY, user_id text NOT NULL REFERENCES retail.users,
    status text NOT NULL CHECK (status IN (
        'pending', 'pending (item modified)', 'processed', 'delivered', 'cancelled',
        'return requested', 'exchange requested')),
    city text, zip text);
CREATE INDEX ON retail.orders (user_id);
CREATE TABLE retail.order_items (
    order_id text NOT NULL REFERENCES retail.orders, line_no integer NOT NULL,
    item_id text NOT NULL REFERENCES retail.items,
    product_id text NOT NULL REFERENCES retail.products, price numeric(10, 2) NOT NULL,
    PRIMARY KEY (order_id, line_no));
CREATE TABLE retail.payments (
    order_id text NOT NULL REFERENCES retail.orders, payment_no integer NOT NULL,
    transaction_type text NOT NULL CHECK (transaction_type IN ('payment', 'refund')),
    amount numeric(10, 2) NOT NULL, payment_method_id text NOT NULL, PRIMARY KEY (order_id, payment_no));
CREATE TABLE retail.fulfillments (
    order_id text NOT NULL REFERENCES retail.orders, tracking_id text NOT NULL,
    PRIMARY KEY (order_id, tracking_id));
"""

DUMMYJSON: Final = """
CREATE TABLE dummyjson.products (
    id integer PRIMARY KEY, title text NOT NULL, category text, price numeric(12, 2),
    discount_percentage numeric(5, 2), rating numeric(3, 2), stock integer, brand text, sku text UNIQUE,
    weight integer, warranty text, shipping text, availability_status text, return_policy text,
    minimum_order_quantity integer);
CREATE TABLE dummyjson.carts (
    id integer PRIMARY KEY, user_id integer NOT NULL, total numeric(12, 2), discounted_total numeric(12, 2),
    total_products integer, total_quantity integer);
CREATE INDEX ON dummyjson.carts (user_id);
CREATE TABLE dummyjson.cart_products (
    cart_id integer REFERENCES dummyjson.carts, line_no integer, product_id integer NOT NULL,
    price numeric(12, 2), quantity integer, total numeric(12, 2), discount_percentage numeric(5, 2),
    PRIMARY KEY (cart_id, line_no));
"""
